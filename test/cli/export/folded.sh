# stacks as speedscope and flamegraph.pl read them: names and semicolons, a blank, a number; device time is the
# report's, host time that of the events, each nanosecond once
trace-analyzer export -q --format folded "$TRACES/training.msgpack.zst" >folded
trace-analyzer export -q --plain --format chrome "$TRACES/training.msgpack.zst" >chrome.json
trace-analyzer report -q --format json "$TRACES/training.msgpack.zst" >report.json
python3 - <<'END'
import collections, json, re
lines = [re.fullmatch(r"([^;]+(?:;[^;]+)*) ([1-9][0-9]*)", line) for line in open("folded").read().splitlines()]
assert all(lines)
stacks = collections.Counter()
for line in lines:
    stacks[tuple(line[1].split(";"))] += int(line[2])
assert len(stacks) == len(lines)  # each once
kernels = collections.Counter()
for stack, ns in stacks.items():
    if stack[0] == "device":
        kernels[stack[-1]] += ns
        assert len(stack) == 4, stack
report = json.load(open("report.json"))["tables"]
assert all(kernels[row["name"]] == row["total_ns"] for row in report["kernels"])
print(sum(kernels.values()) == sum(row["total_ns"] for row in report["gpu_activities"]))
# what no other event of the row surrounds adds up to the time of the row
events = json.load(open("chrome.json"), parse_float=lambda t: int(t.replace(".", "")))["traceEvents"]
rows = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
wanted = collections.Counter()
for tid in {e["tid"] for e in events if e["ph"] == "X"}:
    if rows[tid].startswith(("device", "calls seen")):
        continue
    until = 0
    for e in sorted((e for e in events if e["ph"] == "X" and e["tid"] == tid), key=lambda e: (e["ts"], -e["dur"])):
        if e["ts"] >= until:
            until = e["ts"] + e["dur"]
            wanted[rows[tid]] += e["dur"]
seen = collections.Counter()
for stack, ns in stacks.items():
    if stack[0] == "host":
        seen[stack[1]] += ns
print(seen == wanted, len(seen) > 0)
END
trace-analyzer export -q --format folded "$TRACES/hostile.msgpack.zst" | cat -v
