trace-analyzer dump --kind launch "$TRACES/small.msgpack.zst" -o lines.txt; wc -l <lines.txt
