echo "disable sync-scalar-reed" >my-rules
trace-analyzer report --rules my-rules "$TRACES/whole.msgpack.zst"
