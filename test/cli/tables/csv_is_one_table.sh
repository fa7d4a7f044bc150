trace-analyzer --format csv --tables=kernels,copies "$TRACES/tables.msgpack.zst"
