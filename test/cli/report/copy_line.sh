# a copy from pinned memory for which the device does nothing else: its line, and what that costs
trace-analyzer --format json "$TRACES/training.msgpack.zst" | python3 -c '
import json, sys
report = json.load(sys.stdin)
for f in report["findings"]:
    print(f["rule"], f["file"], f["line"], f["exposed_ns_per_step"], f["gain_pct"], f["part_of"])
    print(f["evidence"])
'
