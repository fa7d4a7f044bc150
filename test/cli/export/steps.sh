# only the steps that were asked for, on a row of their own, with the findings and the lines they are about
trace-analyzer export -q --steps 20+3 "$TRACES/training.msgpack.zst" >part.json
trace-analyzer export -q "$TRACES/training.msgpack.zst" >whole.json
trace-analyzer report -q --format json "$TRACES/training.msgpack.zst" >report.json
python3 - <<'END'
import json
part, whole = (json.load(open(f))["traceEvents"] for f in ("part.json", "whole.json"))
report = json.load(open("report.json"))
steps = [e for e in part if e.get("cat") == "step"]
print([e["name"] for e in steps], sum(e.get("cat") == "step" for e in whole) == report["steps"]["count"] - 1)
begin, end = steps[0]["ts"], steps[-1]["ts"] + steps[-1]["dur"]
for e in part:
    if e["ph"] == "X" and e["cat"] != "finding":
        assert e["ts"] <= end and e["ts"] + e["dur"] >= begin, e
print(len(part) < len(whole) / 4)
titles = {e["name"] for e in whole if e.get("cat") == "finding"}
print(len(titles) == len(report["findings"]), sorted(t.split(":")[1].strip() for t in titles))
marked = [e for e in whole if "finding" in e.get("args", {})]
assert {e["args"]["finding"] for e in marked} <= titles
print(len(marked) > 0, {(e["args"]["line"]) for e in marked} <= {f["line"] for f in report["findings"]})
END
trace-analyzer export --steps 100000 "$TRACES/training.msgpack.zst" >/dev/null
echo $?
trace-analyzer export --plain --steps 1 "$TRACES/training.msgpack.zst"
echo $?
