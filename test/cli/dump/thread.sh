trace-analyzer dump --kind launch --thread 102 "$TRACES/small.msgpack.zst"
