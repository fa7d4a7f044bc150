trace-analyzer dump --kind input --kind thread_sample "$TRACES/waits.msgpack.zst"
trace-analyzer export -q "$TRACES/waits.msgpack.zst" 2>/dev/null | grep '"C"' | head -n 1
