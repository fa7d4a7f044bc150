# operators and lines against sums in Python over a recorded trace; the steps one by one against the account
trace-analyzer report -q --format json --names mangled "$ROOT/test/golden/v1-host.msgpack.zst" >host.json
trace-analyzer report -q --format json --names mangled "$ROOT/test/golden/v1.msgpack.zst" 2>/dev/null >report.json
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
PYTHONDONTWRITEBYTECODE=1 $python - "$ROOT/test/golden" "$ROOT/scripts" <<'PY'
import collections, json, sys
sys.path.insert(0, sys.argv[2])
import read_trace

def add_children(ops):
    """Each operator's time without those directly inside of it: a stack over begins."""
    open_ops = []
    for op in sorted(ops, key=lambda op: (op["begin"], -op["end"])):
        while open_ops and open_ops[-1]["end"] <= op["begin"]:
            open_ops.pop()
        op["self"] = op["end"] - op["begin"]
        if open_ops:
            open_ops[-1]["self"] -= op["self"]
        open_ops.append(op)

def union(events):
    length = at = 0
    for event in sorted(events, key=lambda event: event["begin"]):
        length += max(0, event["end"] - max(at, event["begin"]))
        at = max(at, event["end"])
    return length

def check_overview(rows, ops, calls):
    """All of each kind, once: nested ones and those of several threads are not added up."""
    rows = {row["name"]: row for row in rows}
    for kind, found in ("operators", ops), ("calls", calls):
        row = rows[kind]
        assert [row["count"], row["total_ns"], row["busy_ns"], row["late_ns"]] == [
            len(found), sum(event["end"] - event["begin"] for event in found), union(found), 0], row
        assert abs(row["busy_pct"] - 100 * row["busy_ns"] / row["span_ns"]) <= 0.0501, row
        assert row["busy_ns"] <= row["span_ns"], row

for name in "host", "report":
    trace = read_trace.Trace(f"{sys.argv[1]}/v1{'-host' if name == 'host' else ''}.msgpack.zst")
    report = json.load(open(name + ".json"))
    events = [event for event in trace.events() if not event["kind"].startswith("device_")]
    ops = [event for event in events if event["kind"] == "op"]
    threads = collections.defaultdict(list)
    for op in ops:
        threads[op["thread"]].append(op)
    for inside in threads.values():
        add_children(inside)
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for op in ops:
        row = sums[op["name"]]
        row[0] += 1
        row[1] += op["self"]
        row[2] += op["end"] - op["begin"]
    calls = [event for event in events if event["kind"] in (
        "launch", "copy", "set", "sync", "event", "alloc", "stream", "graph", "call")]
    check_overview(report["tables"]["overview"], [op for op in ops if op["scope"] != 7], calls)
    rows = {row["name"]: [row["count"], row["self_ns"], row["total_ns"]] for row in report["tables"]["operators"]}
    assert rows == dict(sums), (rows, dict(sums))
    lines = report["tables"]["lines"]
    found = {row["tid"]: row for row in report["tables"]["threads"]}
    for thread, inside in threads.items():
        row = found.pop(trace.defined["thread"][thread]["tid"])
        assert [row["operators"], row["operators_ns"]] == [len(inside), sum(op["self"] for op in inside)], row
        assert row["operators_ns"] == union(inside), row
        mine = [event["end"] - event["begin"] for event in calls if event["thread"] == thread]
        assert [row["calls"], row["calls_ns"]] == [len(mine), sum(mine)], row
    assert all(row["operators"] == 0 for row in found.values()), found
    assert sum(row["operators_ns"] for row in lines) == sum(op["self"] for op in ops)
    assert sum(row["calls"] for row in lines) == sum(row["count"] for row in report["tables"]["api_calls"])
    assert sum(row["calls_ns"] for row in lines) == sum(row["total_ns"] for row in report["tables"]["api_calls"])
    series, steps = report["series"], report["steps"]
    if series is None:
        assert steps["steady"] == 0
        print(name, len(rows) > 0)
        continue
    steady = [at for at, step in enumerate(series["step"]) if steps["warmup"] <= step < steps["count"]]
    assert len(steady) == steps["steady"], (len(steady), steps)
    assert sum(series["ns"][at] for at in steady) // len(steady) == steps["mean_ns"]
    for row in report["account"]:
        mean = sum(series["causes"][row["cause"]][at] for at in steady) / len(steady)
        assert abs(mean - row["ns_per_step"]) <= 1, (row, mean)
    trace_rows = {row["step"]: row for row in report["tables"]["step_trace"]}
    costs = {row["name"]: row for row in report["tables"]["perf_summary"]}["batch_cost"]
    assert [costs["count"], costs["min_ns"], costs["max_ns"]] == [steps["steady"], steps["min_ns"], steps["max_ns"]], costs
    assert abs(costs["avg_ns"] - steps["mean_ns"]) <= 1 and costs["min_ns"] <= costs["avg_ns"] <= costs["max_ns"], costs
    assert abs(costs["avg_per_s"] * costs["avg_ns"] - 1e9) < 1e-3 * 1e9, costs
    assert all(trace_rows[step]["total_ns"] == ns for step, ns in zip(series["step"][1:], series["ns"][1:]))
    for at, ns in enumerate(series["ns"]):
        if at in steady:
            assert sum(column[at] for column in series["causes"].values()) == ns, at
    print(name, len(ops) > 200, len(rows) > 3, len(lines) > 3)
PY
