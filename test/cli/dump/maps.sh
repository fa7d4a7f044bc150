trace-analyzer dump --kind name --kind end "$TRACES/small.msgpack.zst"
