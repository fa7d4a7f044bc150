# attempts one after the other, from a trace and from saved reports; then the table in each form
trace-analyzer report --format json -o base.json "$TRACES/training.msgpack.zst"
faster() { # mean step in ns, bytes to the device
	python3 - "$@" <<-'END'
		import json, sys
		report = json.load(open("base.json"))
		report["steps"]["mean_ns"] = int(sys.argv[1])
		report["counts"]["totals"]["to_device_bytes"] = int(sys.argv[2]) * report["counts"]["steps"]
		json.dump(report, open("faster.json", "w"))
	END
}
trace-analyzer log add "$TRACES/training.msgpack.zst" -m 'as it was'
faster 600000 4194304
cp faster.json again.json
trace-analyzer log add faster.json again.json -m '4 workers | "pinned", <b>'
faster 500000 16384
trace-analyzer log add faster.json -m 'größerer Batch' --file optimisation-log.txt
cat optimisation-log.txt
trace-analyzer log show
# with samples named the batch may be another one
sed -i -e '/as it was/s/ | - | / | 8 | /' -e '/pinned/s/ | - | / | 8 | /' -e '/Batch/s/ | - | / | 32 | /' optimisation-log.txt
trace-analyzer log show
trace-analyzer log show --format markdown
trace-analyzer log show --format csv
trace-analyzer log show --format csv | python3 -c '
import csv, sys
print([(row["attempt"], row["speed_first"], row["text"]) for row in csv.DictReader(sys.stdin)])'
# a link stays one, modes stay what they are
mkdir kept && mv optimisation-log.txt kept/log && chmod 600 kept/log && ln -s kept/log optimisation-log.txt
trace-analyzer log add base.json -m 'back again' --samples 8
stat -c '%F %a' optimisation-log.txt kept/log
ls kept
