# 2,000 threads; names of 10,000 characters with marks that turn text around and bytes that are no text; no device,
# no steps: every form holds all of it
run=$TRACES/crowd.msgpack.zst
for format in chrome perfetto sqlite folded; do trace-analyzer export -q --names mangled --format $format -o $format "$run"; done
python3 - <<'END'
import json, sqlite3
events = json.loads(open("chrome", "rb").read().decode("utf-8"))["traceEvents"]
slices = [e for e in events if e["ph"] == "X"]
print(len(slices), len({e["tid"] for e in slices}), len(slices[0]["name"]) > 6000, "\u202e" in slices[0]["name"], "\0" in str(events))
base = sqlite3.connect("sqlite")
print(base.execute("SELECT count(*), count(DISTINCT track), min(length(name)) > 2000 FROM event").fetchone())
print(base.execute("SELECT count(*) FROM track WHERE tid IS NOT NULL").fetchone())
lines = open("folded", "rb").read().decode("utf-8").splitlines()
print(len(lines), all(line.startswith("host;") and line.rsplit(" ", 1)[1].isdigit() for line in lines))
data = open("perfetto", "rb").read()
print(data.count(b"\xe2\x80\xae") > 0, len(data) < 1 << 20)
END
trace-analyzer export -q --format perfetto "$run" | head -c 10 | wc -c
