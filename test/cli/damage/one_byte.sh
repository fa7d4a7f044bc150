# in the payload of the first frame, with its definitions: the second is reported
cp "$TRACES/small.msgpack.zst" bad.msgpack.zst
printf x | dd of=bad.msgpack.zst bs=1 seek=150 conv=notrunc status=none
trace-analyzer dump --kind launch bad.msgpack.zst | cut -c 1-70
