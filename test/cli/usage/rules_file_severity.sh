echo "severity sync-explicit = awful" >my-rules
trace-analyzer report --rules my-rules "$TRACES/whole.msgpack.zst"
