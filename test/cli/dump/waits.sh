trace-analyzer dump --kind input --kind thread_sample "$TRACES/waits.msgpack.zst"
