trace-analyzer dump --from 2s --to 1s "$TRACES/small.msgpack.zst"
