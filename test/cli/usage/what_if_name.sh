trace-analyzer report --what-if without=coffee "$TRACES/whole.msgpack.zst"
