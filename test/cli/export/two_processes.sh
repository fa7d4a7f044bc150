# the same process number twice: rows of their own
cp "$TRACES/small.msgpack.zst" a.msgpack.zst; cp "$TRACES/small.msgpack.zst" b.msgpack.zst
trace-analyzer export . | python3 -c '
import json, sys
trace = json.loads(sys.stdin.buffer.read().decode("utf-8"))
pids = [e["pid"] for e in trace["traceEvents"] if e["ph"] == "X"]
print(len(pids), len(set(pids)), pids[0])
'
