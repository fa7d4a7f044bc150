# hooks alone: calls are there, and one line says why the rest is not
trace-analyzer --tables "$TRACES/small.msgpack.zst" | sed -n '/^no tables/,/^trace:/p'
trace-analyzer --format csv --tables=kernels "$TRACES/small.msgpack.zst" | cut -c -30
