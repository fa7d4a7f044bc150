trace-analyzer export -q "$TRACES/device.msgpack.zst" 2>/dev/null | python3 -c '
import json, sys
trace = json.loads(sys.stdin.buffer.read().decode("utf-8"))
for e in trace["traceEvents"]:
    if e["ph"] in "XCi":
        print(e["ph"], e.get("tid"), e["ts"], e.get("dur"), e["name"], json.dumps(e["args"]))
    elif e["name"].endswith("_name"):
        print(e["ph"], e["tid"], e["name"], e["args"]["name"])
'
