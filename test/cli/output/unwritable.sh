trace-analyzer dump "$TRACES/small.msgpack.zst" -o /nonexistent/lines
