trace-analyzer report --what-if line=train.py "$TRACES/whole.msgpack.zst"
