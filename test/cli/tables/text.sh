# some tables, and none without being asked
trace-analyzer --tables=api_calls,failed_calls,copies,streams "$TRACES/tables.msgpack.zst" | sed -n '/^API calls/,/^trace:/p'
trace-analyzer --tables=gpu_activities "$TRACES/tables.msgpack.zst" | sed -n '/^GPU activities/,/^$/p'
trace-analyzer --tables=gpu_activities --names full "$TRACES/tables.msgpack.zst" | sed -n '/^GPU activities/,/^$/p'
trace-analyzer "$TRACES/tables.msgpack.zst" | grep -c '^GPU activities' || :
