# a reader that stops early ends the program quietly
trace-analyzer dump --format json "$ROOT/test/golden/v1.msgpack.zst" | head -n 1 | cut -c 1-15
