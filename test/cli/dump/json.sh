trace-analyzer dump --format json --kind launch --to 0s "$TRACES/small.msgpack.zst" | sed "s|$TRACES|T|"
