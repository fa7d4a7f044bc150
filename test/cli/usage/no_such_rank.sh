trace-analyzer report --ranks 500 "$TRACES/whole.msgpack.zst"
