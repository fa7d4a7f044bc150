# Killed at many moments: every committed event is there, in order, once, and the report says so.
for pause in 0 0.02 0.05 0.1 0.15 0.2 0.3; do
	rm -rf run counts
	EMIT_COUNTS=counts "$EMIT" run 2 0 wait 5 &
	"$ROOT/test/cli/live/until_recording" counts
	sleep $pause
	{ kill -9 $!; wait $!; } 2>/dev/null
	trace-analyzer dump --format json run 2>notes | python3 "$ROOT/test/cli/live/contiguous.py" counts
	grep -c 'was killed or is still running.*recovered' notes
done
