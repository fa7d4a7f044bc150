trace-analyzer report --rules none "$TRACES/whole.msgpack.zst"
