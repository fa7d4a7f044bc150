# same input, same output
for i in 1 2 3; do
	trace-analyzer dump "$ROOT/test/golden/v1.msgpack.zst" 2>/dev/null | sha256sum
	trace-analyzer export "$ROOT/test/golden/v1.msgpack.zst" 2>/dev/null | sha256sum
done | sort | uniq -c | sed "s/ *\([0-9]*\) .*/\1/"
