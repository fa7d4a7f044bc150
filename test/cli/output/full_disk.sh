trace-analyzer dump "$TRACES/small.msgpack.zst" >/dev/full
