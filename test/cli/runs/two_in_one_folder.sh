# Two programs were recorded into one folder: the reader has to say which is meant.
mkdir run
record() { RUN_ID=$1 RANK=-1 SECOND=$2 "$MAKE_TRACE" run "run/$3.msgpack.zst"; }
record 20260101-000010-7 10 host-7
record 20260101-000020-9 20 host-9
record 20260101-000020-9 21 host-12
for wanted in '' '--run 20260101-000020-9' '--run last' '--run first' '--run 20260101-000030-1'; do
	echo "$wanted:"
	# shellcheck disable=SC2086 # an option and its value
	trace-analyzer dump --kind run $wanted run | grep -o 'run_id=.*'
	echo "status ${PIPESTATUS[0]}"
done 2>&1
trace-analyzer report run
