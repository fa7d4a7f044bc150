# the trace is of rank 3
trace-analyzer dump --kind launch --ranks 0-2 "$TRACES/small.msgpack.zst"
trace-analyzer dump --kind launch --ranks 3 --to 0s "$TRACES/small.msgpack.zst"
