trace-analyzer report --threshold coppy=3 "$TRACES/whole.msgpack.zst"
