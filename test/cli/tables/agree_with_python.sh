# all tables of the JSON report against sums and sorts in Python, from the reader in scripts/
trace-analyzer --format json --names mangled "$TRACES/tables.msgpack.zst" >report.json
[ $? = 3 ] || echo "a trace without steps has no verdict"
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
PYTHONDONTWRITEBYTECODE=1 $python - report.json "$TRACES/tables.msgpack.zst" "$ROOT/scripts" <<'PY'
import collections, json, math, sys
sys.path.insert(0, sys.argv[3])
import read_trace
tables = json.load(open(sys.argv[1]))["tables"]
trace = read_trace.Trace(sys.argv[2])
events = list(trace.events())
calls = {number: call["name"] for number, call in trace.defined["call"].items()}
groups = collections.defaultdict(lambda: collections.defaultdict(list))
sizes, failed = collections.defaultdict(list), collections.Counter()
busy = collections.defaultdict(list)
for event in events:
    length, kind = event["end"] - event["begin"], event["kind"]
    if not kind.startswith("device_"):
        name = calls[event["call"]]
        groups["api_calls"][name].append(length)
        failed[name, event["result"]] += event["result"] not in (0, 600)
        continue
    for table, key in ("devices", 0), ("streams", event["stream"]):
        busy[table, key].append((event["begin"], event["end"]))
    name = {"device_copy": "[CUDA memcpy HtoD]", "device_set": "[CUDA memset]"}.get(kind) or event["kernel"]
    groups["gpu_activities"][name].append(length)
    if kind == "device_kernel":
        shape = tuple("x".join(str(event[part + axis]) for axis in "xyz") for part in ("grid_", "block_"))
        groups["kernels"][(name, *shape, event["registers"], event["shared_bytes"])].append(length)
    else:
        memory = {0: None, 1: "pageable", 2: "pinned", 3: "device"}
        key = (name, memory[event.get("src_memory", 0)],
               memory[event["dst_memory"] if kind == "device_copy" else event["memory"]])
        groups["copies"][key].append(length)
        sizes[key].append(event["bytes"])

def check(row, values, unit):
    values = sorted(values)
    count, mean = len(values), sum(values) / len(values)
    assert row["total_" + unit] == sum(values) and row["count"] == count, row
    assert row["min_" + unit] == values[0] and row["max_" + unit] == values[-1], row
    assert abs(row["avg_" + unit] - mean) <= 0.5, (row, mean)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / count)
    assert abs(row["stddev_" + unit] - deviation) <= 0.5001, (row, deviation)
    for column, percent in ("median_", 50), ("p95_", 95), ("p99_", 99):
        exact = values[math.ceil(percent * count / 100) - 1]
        assert abs(row[column + unit] - exact) <= 0.01 * exact, (row, column, exact)

keys = {"api_calls": ("name",), "gpu_activities": ("name",), "copies": ("name", "src_memory", "dst_memory"),
        "kernels": ("name", "grid", "block", "registers", "shared_bytes")}
for table, columns in keys.items():
    rows = {tuple(row[column] for column in columns): row for row in tables[table]}
    wanted = {key if isinstance(key, tuple) else (key,): values for key, values in groups[table].items()}
    assert rows.keys() == wanted.keys(), (table, rows.keys(), wanted.keys())
    times = [row["total_ns"] for row in tables[table]]
    assert times == sorted(times, reverse=True), table
    for key, values in wanted.items():
        check(rows[key], values, "ns")
        if table == "copies":
            check(rows[key], sizes[key], "bytes")
            assert rows[key]["achieved_bytes_per_s"] == sum(sizes[key]) * 10**9 // sum(values)
            assert rows[key]["declared_bytes_per_s"] == (25 if key[1] else 2000) * 10**9
        else:
            share = 100 * sum(values) / sum(times)
            assert abs(rows[key]["time_pct"] - share) <= 0.0501, (rows[key], share)
rows = {(row["name"], row["error"]): row["count"] for row in tables["failed_calls"]}
assert rows == {key: count for key, count in failed.items() if count}, rows
span = max(event["end"] for event in events) - min(event["begin"] for event in events)
for table in "devices", "streams":
    for row in tables[table]:
        length = at = 0
        for begin, end in sorted(busy.pop((table, row.get("stream", 0)))):
            length += max(0, end - max(at, begin))
            at = max(at, end)
        assert (row["busy_ns"], row["span_ns"], row["late_ns"]) == (length, span, 0), (row, length)
        assert abs(row["busy_pct"] - 100 * length / span) <= 0.0501, row
whole = {row["name"]: row for row in tables["overview"]}
for kind, prefix in ("kernels", "device_kernel"), ("copies", "device_copy"), ("calls", ""):
    found = sorted((event["begin"], event["end"]) for event in events
                   if event["kind"] == prefix or (not prefix and not event["kind"].startswith("device_")))
    length = at = 0
    for begin, end in found:
        length += max(0, end - max(at, begin))
        at = max(at, end)
    assert whole[kind]["count"] == len(found) and whole[kind]["busy_ns"] == length, (kind, whole[kind], length)
    assert whole[kind]["total_ns"] == sum(end - begin for begin, end in found) and whole[kind]["busy_pct"] <= 100
shares = {row["name"]: row for row in tables["distribution"]}
assert shares["computation"]["total_ns"] == whole["kernels"]["busy_ns"] and shares["communication"]["total_ns"] == 0
assert sum(shares[part]["total_ns"] for part in ("computation", "exposed communication", "neither")) == span
assert not busy and tables["launches"] is not None and tables["device_tables_absent"] is None
print(len(events), "events,", sum(map(len, groups.values())), "rows agree")
PY
