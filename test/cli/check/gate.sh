# a run against its own baseline, from the trace and from a saved report; then one that does more
trace="$TRACES/training.msgpack.zst"
trace-analyzer check "$trace" --write-baseline base
trace-analyzer check "$trace" -b base
trace-analyzer check "$trace" -b <(cat base)
trace-analyzer report --format json -o report.json "$trace"
trace-analyzer check report.json -b base
trace-analyzer check report.json -b report.json
# one sync more in 40 steps, a line that is gone, one that varies
sed -e 's/^total launches = \([0-9]*\)/total launches = 1\1/' \
	-e 's/^site syncs | train.py.* = /site syncs | train.py | gone | - | x.item() = /' base >more
diff base more | grep -c '^>'
trace-analyzer check "$trace" -b more
echo "exit code $?"
# what it fails against is not written over, another file is
cp more before
trace-analyzer check "$trace" -b more --write-baseline ./more 2>&1 >/dev/null
cmp more before
trace-analyzer check "$trace" -b more --write-baseline new >/dev/null
cmp base new
trace-analyzer check "$trace" -b more --format json | python3 -c '
import json, sys
check = json.load(sys.stdin)
print(check["schema"], check["passed"], check["rows"])
for row in check["failures"]: print(row["kind"], row["what"], row["file"], row["line"], row["was"], row["is"])'
trace-analyzer check "$trace" -b more --format markdown
