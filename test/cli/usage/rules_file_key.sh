printf "threshold io = 8\n\n  treshold cpu = 70\n" >my-rules
trace-analyzer report --rules my-rules "$TRACES/whole.msgpack.zst"
