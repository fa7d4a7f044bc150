# some tables, and without being asked only what takes most time on the device
trace-analyzer --tables=api_calls,failed_calls,copies,streams "$TRACES/tables.msgpack.zst" | sed -n '/^API calls/,/^trace:/p'
trace-analyzer "$TRACES/tables.msgpack.zst" | sed -n '/^GPU activities/,/^$/p'
trace-analyzer --names full "$TRACES/tables.msgpack.zst" | sed -n '/^GPU activities/,/^$/p'
