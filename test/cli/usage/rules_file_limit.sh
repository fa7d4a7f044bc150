echo "threshold cpu = many" >my-rules
trace-analyzer report --rules my-rules "$TRACES/whole.msgpack.zst"
