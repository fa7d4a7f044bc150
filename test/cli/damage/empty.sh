touch empty.msgpack.zst; trace-analyzer dump empty.msgpack.zst
