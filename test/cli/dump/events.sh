trace-analyzer dump --kind launch "$TRACES/small.msgpack.zst"
