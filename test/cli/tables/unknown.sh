trace-analyzer --tables=kernels,kernel "$TRACES/tables.msgpack.zst"
