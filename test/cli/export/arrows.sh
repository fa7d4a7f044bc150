# an arrow for every operation: it begins within the call that asked for it and ends where the
# operation begins, as in the traces of PyTorch
trace-analyzer export -q "$TRACES/training.msgpack.zst" >export.json
python3 - <<'END'
import collections, json
events = json.load(open("export.json"))["traceEvents"]
calls = collections.defaultdict(list)
operations = {}
for e in events:
    if e["ph"] == "X" and e["cat"] in ("launch", "copy"):
        calls[e["tid"]].append(e)
    if e["ph"] == "X" and e["cat"] in ("device_kernel", "device_copy"):
        operations[e["args"]["correlation"]] = e
starts = [e for e in events if e["ph"] == "s"]
ends = [e for e in events if e["ph"] == "f"]
for e in starts:
    around = [c for c in calls[e["tid"]] if c["ts"] <= e["ts"] <= c["ts"] + c["dur"]]
    assert len(around) == 1, e
    kind = {"launch": "device_kernel", "copy": "device_copy"}[around[0]["cat"]]
    assert operations[e["id"]]["cat"] == kind, (e, around)
for e in ends:
    operation = operations[e["id"]]
    assert (operation["tid"], operation["ts"], "e") == (e["tid"], e["ts"], e["bp"]), e
print(len(starts), len(ends), len(set(e["id"] for e in starts)), len(operations))
print({e["cat"] + e["name"] for e in starts + ends})
print(json.dumps(operations[1]["args"]))
print(json.dumps(operations[2]["args"]))
END
trace-analyzer export -q "$TRACES/whole.msgpack.zst" | grep -c '"name":"graph 9 as a whole"'
cp "$TRACES/training.msgpack.zst" a.msgpack.zst; cp "$TRACES/training.msgpack.zst" b.msgpack.zst
# ids of two processes are not the same
trace-analyzer export -q . | python3 -c '
import json, sys
ids = [e["id"] for e in json.load(sys.stdin)["traceEvents"] if e["ph"] == "s"]
print(len(ids), len(set(ids)))
'
