# a rules file sets limits, switches rules and says how severe a finding is; --threshold goes before it
cat >rules <<'END'
# for a machine with slow copies
threshold io = 8
threshold gpu=95      # beside the name

disable all
enable copy-not-overlapped
severity copy-not-overlapped = low
END
trace-analyzer --rules rules --threshold gpu=93 --format json "$TRACES/training.msgpack.zst" | python3 -c '
import json, sys
report = json.load(sys.stdin)
print([(f["rule"], f["severity"]) for f in report["findings"]])
limits = report["tables"]["thresholds"]
print(limits["io"], limits["gpu"], limits["cpu"])
'
trace-analyzer --rules /dev/null --format json "$TRACES/training.msgpack.zst" >with_empty_file
trace-analyzer --format json "$TRACES/training.msgpack.zst" | cmp - with_empty_file
