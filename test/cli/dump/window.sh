trace-analyzer dump --kind launch --from 2us --to 3us "$TRACES/small.msgpack.zst"
