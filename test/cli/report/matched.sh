# calls of the device's side that only refer to the calls: the same reports, tables and time lines
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
for kind in training matched; do
	trace=$TRACES/$kind.msgpack.zst
	{
		trace-analyzer "$trace"
		trace-analyzer --format json "$trace"
		trace-analyzer "$trace" --from 0.0101 --to 0.0205
		trace-analyzer tables "$trace"
		trace-analyzer dump "$trace" | sed "s/^.* \(device_api .*\)/\1/"
	} 2>&1 | sed "s/$kind\.msgpack/trace.msgpack/g; /[0-9] bytes/d" >"$kind"
	grep -c device_api "$kind"
	PYTHONDONTWRITEBYTECODE=1 $python "$ROOT/scripts/read_trace.py" --totals "$trace" |
		sed -n '/"events"/,/}/s/ *"device_api"/device_api/p'
	trace-analyzer export "$trace" --format chrome -o "$kind.chrome.json" 2>/dev/null
	grep -o '"id":[0-9]*' "$kind.chrome.json" | sort | uniq -c | wc -l
done
diff training matched && echo same
