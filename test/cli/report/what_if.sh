# a step without a rule's findings, a line, a cause of the account, and all of that; the gain of a
# finding's own rule is the gain of the finding
cat >ask <<'END'
import json, sys
report = json.load(sys.stdin)
first = report["findings"][0]
place = f"{first['file'].rsplit('/', 1)[-1]}:{first['line']}"
print(first["rule"], place, file=open("first", "w"))
print(first["gain_pct"], file=open("gain", "w"))
END
trace="$TRACES/training.msgpack.zst"
trace-analyzer --format json "$trace" | python3 ask
read -r rule place <first
trace-analyzer "$trace" --what-if "without=$rule,line=$place" --what-if without=idle_gil \
	--what-if "without=$rule,line=other.py:3" --format json | python3 -c '
import json, sys
report = json.load(sys.stdin)
own, gil, other, together = report["what_if"]
gain = float(open("gain").read())
print(own["findings"], own["gain_pct"] == gain, own["predicted_step_ns"] == report["findings"][0]["predicted_step_ns"])
print(gil["findings"], gil["gain_pct"])
print(other["findings"], other["gain_pct"], other["predicted_step_ns"])
print(together["without"], together["gain_pct"] == gain)
'
trace-analyzer "$trace" --what-if without=sync-explicit | grep -A2 "^what if"
