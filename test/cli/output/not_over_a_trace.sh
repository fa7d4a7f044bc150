cp "$TRACES/small.msgpack.zst" x.msgpack.zst
trace-analyzer dump x.msgpack.zst --output x.msgpack.zst
status=$?
cmp x.msgpack.zst "$TRACES/small.msgpack.zst"
exit $status
