# recording the device failed for good at the fifteenth step
trace-analyzer "$TRACES/failed.msgpack.zst" 2>/dev/null >report
grep -E "^  GPU busy|^  GPU times" report
sed -n '/^trace:/,/^limits:/p' report
trace-analyzer --format json "$TRACES/failed.msgpack.zst" 2>/dev/null | python3 -c '
import json, sys
report = json.load(sys.stdin)
print({k: report["ratios"][k] for k in ("gpu_busy_is", "measured_pct", "gpu_busy_measured_pct")})
print(report["verdict"]["class"], report["verdict"]["confidence"], report["health"]["matched_pct"])
print(report["run"]["sources"], report["run"]["source_reasons"], report["tables"]["per_step"]["graph_launches"])
'
