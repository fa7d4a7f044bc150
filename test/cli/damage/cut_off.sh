# inside the last frame: the two whole ones are reported
size=$(stat -c %s "$TRACES/small.msgpack.zst")
head -c $((size - 1)) "$TRACES/small.msgpack.zst" >cut.msgpack.zst
trace-analyzer dump --kind launch cut.msgpack.zst | wc -l
