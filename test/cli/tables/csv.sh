# every name as it was compiled, a line of column names, lines end as RFC 4180 says
trace-analyzer --format csv --tables=kernels --names mangled "$TRACES/tables.msgpack.zst" | head -n 3 | sed 's/\r$/|/'
trace-analyzer --format csv --tables=devices "$TRACES/tables.msgpack.zst" | sed 's/\r$/|/'
