# Python's own reader gets every name back, and as many rows as JSON has
for table in gpu_activities api_calls kernels copies failed_calls launches devices streams overview distribution threads processes workers pipeline files operators operators_by_shape operator_kernels ranges step_phases step_trace perf_summary modules compiled lines memory collectives; do
	trace-analyzer --format csv --tables=$table "$TRACES/tables.msgpack.zst" >$table.csv
done
trace-analyzer --format json "$TRACES/tables.msgpack.zst" >report.json
python3 - <<'PY'
import csv, json
tables = json.load(open("report.json"))["tables"]
for name in "gpu_activities api_calls kernels copies failed_calls launches devices streams overview distribution threads processes workers pipeline files operators operators_by_shape operator_kernels ranges step_phases step_trace perf_summary modules compiled lines memory collectives".split():
    rows = list(csv.DictReader(open(name + ".csv", newline="")))
    known = [{key: "" if value is None else str(value) for key, value in row.items()} for row in tables[name]]
    assert rows == known, (name, rows[:1], known[:1])
    print(name, len(rows))
PY
