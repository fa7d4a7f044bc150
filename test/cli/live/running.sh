# Read while the process records: a prefix of every thread, without gap or duplicate. It records less than a busy
# machine reads in the same time, or each reading would last many times as long as the one before.
EMIT_COUNTS=counts "$EMIT" run 2 0 wait 1 200 &
"$ROOT/test/cli/live/until_recording" counts
for i in 1 2 3 4 5 6; do
	sleep 0.07
	trace-analyzer dump --format json run 2>/dev/null | python3 "$ROOT/test/cli/live/contiguous.py"
done
{ kill -9 $!; wait $!; } 2>/dev/null
true
