# steps as the user names them: a range, an operator, a call; the optimizer's step is the same here
trace="$TRACES/training.msgpack.zst"
for option in --step-range=Optimizer.step#SGD.step --step-marker=Optimizer.step#SGD.step \
	--step-marker=cudaStreamSynchronize; do
	trace-analyzer report "$option" "$trace" | grep recognised
	trace-analyzer report "$option" --format json "$trace" | python3 -c '
import json, sys
steps = json.load(sys.stdin)["steps"]
print(*(steps[name] for name in ("count", "method", "name", "confidence", "median_ns")))'
done
trace-analyzer report --format json "$trace" | grep -c '^    "name": "Optimizer'
# the thread whose steps they are
trace-analyzer report "$trace" | grep 'steps of thread'
trace-analyzer report --format json "$trace" | python3 -c 'import json, sys; print(json.load(sys.stdin)["run"]["stepping_thread"])'
# a name that never occurred
trace-analyzer report --step-marker sync "$trace" | grep -A1 verdict:
trace-analyzer report --step-range cudaStreamSynchronize --format json "$trace" | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(report["steps"]["count"], report["steps"]["method"], report["verdict"]["class"])
print(report["verdict"]["text"])'
trace-analyzer report --step-range nothing "$trace" >/dev/null
echo "exit code $?"
