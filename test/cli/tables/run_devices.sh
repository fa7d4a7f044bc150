# The devices of a run: those that records name, with what the trace says about them
for trace in tables device; do
	trace-analyzer --format json "$TRACES/$trace.msgpack.zst" 2>notes |
		python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)["run"]["devices"]))'
done
