# runs of different scripts; files outside the root
trace="$TRACES/training.msgpack.zst"
trace-analyzer report --format json -o one.json "$trace"
trace-analyzer check one.json --write-baseline base
attempt() {
	trace-analyzer "$@" 2>&1
	echo "exit code $?"
}
sed 's/"train.py"/"other.py"/' one.json >other.json
sed 's/"world_size": [0-9]*/"world_size": 16/' one.json >world.json
attempt check one.json other.json --baseline base
attempt check one.json -b one.json -b other.json
attempt check one.json world.json --max syncs=9
attempt compare one.json one.json --also-new other.json
attempt log add one.json world.json -m 'two scripts'
# a file outside the root keeps its name alone, and marks no line of the repository
python3 - <<'END'
import json
report = json.load(open("one.json"))
for site in report["counts"]["sites"]:
    site["file"] = "/elsewhere/../etc/" + site["file"].rsplit("/", 1)[-1]
json.dump(report, open("outside.json", "w"))
for site in report["counts"]["sites"]:
    site["count"] += 90
json.dump(report, open("more.json", "w"))
END
trace-analyzer check outside.json --root /repository --write-baseline outside
grep -c 'elsewhere\|[.][.]' outside
trace-analyzer check more.json -b outside --root /repository --format json | grep '"file"' | sort -u
echo "$(trace-analyzer check more.json -b outside --root /repository --format sarif | grep -c '"uri"') lines are marked"
# of several ranks one is judged; of another number of steps some rows have room; what may be chance is said
python3 - <<'END'
import json
report = json.load(open("one.json"))
run = report["run"]
run["ranks"] = [0, 1, 2]
run["processes"][0]["rank"] = 1
json.dump(report, open("ranks.json", "w"))
report = json.load(open("one.json"))
counts = report["counts"]
site = counts["sites"][0]
counts["sites"].append(dict(site, line=50, op="aten::item", source="seen = loss.item()", count=7, most_count=3))
json.dump(report, open("seldom.json", "w"))
counts["sites"][-1]["count"] += 1
json.dump(report, open("chance.json", "w"))
counts["sites"][-1]["count"] = 9
counts["steps"] += 10
for name in counts["totals"]:
    counts["totals"][name] = counts["totals"][name] // 30 * 40
for site in counts["sites"][:-1]:
    for name in ("count", "bytes", "pageable"):
        site[name] = site[name] // 30 * 40
json.dump(report, open("longer.json", "w"))
END
attempt check ranks.json -b base
attempt check chance.json -b seldom.json
attempt check longer.json -b seldom.json
# a launcher that was recorded, too, is not what was trained
python3 - <<'END'
import json
report = json.load(open("one.json"))
run = report["run"]
run["programs"].insert(0, "launch.py")
run["processes"].insert(0, dict(run["processes"][0], pid=1, program="launch.py", rank=None, launches=0, steps=0))
run["analysed_process"] = 1
json.dump(report, open("launched.json", "w"))
END
attempt check launched.json -b base
trace-analyzer check launched.json --write-baseline launched
grep '^run program' launched
