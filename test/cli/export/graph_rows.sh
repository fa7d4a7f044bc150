# what a graph runs stands in the row of the stream that it runs on
trace-analyzer export -q "$TRACES/whole.msgpack.zst" | python3 -c '
import json, sys
events = json.load(sys.stdin)["traceEvents"]
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
print(sorted({(e["name"], names[e["tid"]]) for e in events if "graph" in e.get("args", {})}))
'
