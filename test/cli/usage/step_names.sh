trace-analyzer report --step-range a --step-marker b "$TRACES/whole.msgpack.zst"
