# rows by a column: the largest first, the least first, texts in their order; what no table has is told
trace=$ROOT/test/golden/v1-host.msgpack.zst
rows() { # sort, column
	trace-analyzer report -q --format csv --tables=api_calls --sort="$1" "$trace" | python3 -c '
import csv, sys
print(*(row[sys.argv[1]] for row in csv.DictReader(sys.stdin)))' "$2"
}
for sort in count avg_ns +avg_ns name +min_ns; do
	rows "$sort" "${sort#+}"
done
python3 - "$trace" <<'PY'
import json, subprocess, sys
for column, up in [(column, up) for up in (False, True) for column in (
        "total_ns", "self_ns", "count", "avg_ns", "max_ns", "min_ns", "device_ns", "device_self_ns")]:
    found = subprocess.run(["trace-analyzer", "report", "-q", "--format", "json", "--sort", "+" * up + column, sys.argv[1]],
                           stdout=subprocess.PIPE, check=False).stdout
    rows = [row[column] for row in json.loads(found)["tables"]["operators"]]
    known = [value for value in rows if value is not None]
    assert len(rows) > 5 and known == sorted(known, reverse=not up), (column, rows)
PY
trace-analyzer report --tables=api_calls --sort=grid "$trace"
echo "status $?"
trace-analyzer report --sort=count "$trace"
