trace-analyzer dump --kind lunch "$TRACES/small.msgpack.zst"
