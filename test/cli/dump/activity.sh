# what the device reported, with the correlation ids that calls and operations share
trace-analyzer dump --kind source_state --kind device_api --kind device_copy "$TRACES/yielded.msgpack.zst" | sed -n '1,6p;/source_state/p'
trace-analyzer dump --format json --kind source_state "$TRACES/failed.msgpack.zst" | grep '"event"'
