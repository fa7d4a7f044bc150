# Rings so small that events are lost: the loss is counted exactly, also the part that was not written yet.
EMIT_RING_BYTES=16384 EMIT_COUNTS=counts "$EMIT" run 2 0 wait 2000 &
"$ROOT/test/cli/live/until_recording" counts
sleep 0.15
{ kill -9 $!; wait $!; } 2>/dev/null
trace-analyzer dump --format json run 2>/dev/null | python3 "$ROOT/test/cli/live/contiguous.py" counts
