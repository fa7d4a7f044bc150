# SPDX-License-Identifier: MIT
"""Two ranks of ddp.py: the table of collectives against the device's log and against torch.profiler.

usage: check.py FOLDER ANALYZER      prints "ok ..." or "wrong ..." lines
"""
import json
import os
import re
import subprocess
import sys

folder, analyzer = sys.argv[1:]
RANKS, STEPS, LATE_NS = 2, 8, 20_000_000
with open(os.path.join(os.path.dirname(__file__), "ddp.py"), encoding="utf-8") as program:
    SLEEPS = next(number for number, line in enumerate(program, 1) if "time.sleep" in line)
SIZES = {"Byte": 1, "Char": 1, "Int": 4, "Long": 8, "Half": 2, "Float": 4, "Double": 8, "BFloat16": 2}
# PyTorch gathers by broadcasts in a group, and exchanges by transfers, as its version likes.
CLASSES = (("all_reduce", "allreduce"), ("reduce_scatter", "reducescatter"), ("reduce", "reduce"),
           ("gathered", "broadcast|allgather"), ("sent", "alltoall|send|recv|receive"))
FACTORS = {"all_reduce": 2 * (RANKS - 1) / RANKS, "reduce_scatter": (RANKS - 1) / RANKS,
           "all_gather": (RANKS - 1) / RANKS, "all_to_all": (RANKS - 1) / RANKS}


def class_of(name):
    plain = name.lower().replace("_", "")
    for title, pattern in CLASSES:
        if re.match(pattern, plain):
            return title
    return None


def told(what, expected, found):
    if expected == found:
        print(f"ok {what}: {found}")
    else:
        print(f"wrong {what}: {found} instead of {expected}")


def report(rank, how="plain"):
    command = [analyzer, "report", "--format", "json", "--tables=collectives", f"{folder}/{how}/run"]
    if rank > 0:
        command[2:2] = ["--ranks", str(rank)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def rules(of):
    return [finding["rule"] for finding in of["findings"] if finding["rule"] in ("comm-late-rank", "comm-awaited")]


def log(rank):
    """What the device did for NCCL, by kind of kernel, in the order of the ends."""
    with open(f"{folder}/plain/log-{rank}", encoding="utf-8") as file:
        entries = [json.loads(line) for line in file if '"op":"kernel"' in line and "nccl" in line]
    kinds = {}
    for entry in sorted(entries, key=lambda entry: entry["end_ns"]):
        kind = re.search(r"ncclDevKernel_([A-Za-z]+(?:_Sum_[a-z]+[0-9]+)?)", entry["kernel"]).group(1)
        kinds.setdefault(kind, []).append((entry["begin_ns"], entry["end_ns"]))
    return kinds


def profiled(rank):
    sums = {}
    with open(f"{folder}/profile/profile-{rank}.json", encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        if event.get("name") != "record_param_comms":
            continue
        args = event["args"]
        title = class_of(args["Collective name"])
        if title:
            elements = max(args["In msg nelems"], args["Out msg nelems"])
            sums[title] = sums.get(title, 0) + elements * SIZES[args["dtype"]]
    return sums


def check_bytes(rank):
    sums = {}
    for row in report(rank, "profile")["tables"]["collectives"]:
        sums[class_of(row["name"])] = sums.get(class_of(row["name"]), 0) + row["total_bytes"]
    told(f"rank {rank}: bytes as torch.profiler has them", profiled(rank), sums)


def check(rank, rows):
    ops = [op for kind in log(rank).values() for op in kind]
    told(f"rank {rank}: launches as in the device's log", len(ops), sum(row["measured"] for row in rows))
    told(f"rank {rank}: all were measured", sum(row["launches"] for row in rows), len(ops))
    device_ns = sum(end - begin for begin, end in ops)
    off_ns = abs(sum(row["device_ns"] or 0 for row in rows) - device_ns)
    told(f"rank {rank}: the device's time", True, off_ns < 1000 * len(ops))
    bad = [row["name"] for row in rows if row["bus_bytes_per_s"] is None or
           abs(row["bus_bytes_per_s"] * row["device_ns"] / 1e9 - row["total_bytes"] * FACTORS.get(row["name"], 1)) > 2]
    told(f"rank {rank}: bandwidths by the formulas of nccl-tests", [], bad)
    told(f"rank {rank}: every communicator has a name", [], [row["name"] for row in rows if not row["communicator"]])


for each in range(RANKS):
    check_bytes(each)
whole = report(0)
rows = whole["tables"]["collectives"]
check(0, rows)
check(1, report(1)["tables"]["collectives"])
trained, = (row for row in rows if row["name"] == "all_reduce" and "/" not in row["communicator"])
pairs = list(zip(log(0)["AllReduce_Sum_f32"], log(1)["AllReduce_Sum_f32"]))
waits = [max(mine[0], other[0]) - mine[0] for mine, other in pairs]
told("all-reduces that both ranks are known of", STEPS, trained["met"])
# times go through a clock of the device and back, a few nanoseconds each
told("the wait for the late rank, as in the device's log", True, abs(sum(waits) - trained["wait_ns"]) < 1000 * STEPS)
# a part of what rank 1 sleeps passes while rank 0 does its own work
told("it is long", True, sum(waits) > STEPS * LATE_NS / 2)
told("rank 1 is the late one", 1, trained["late_rank"])
# with what DistributedDataParallel tells the other ranks when it makes its buckets anew
begin, end = pairs[whole["steps"]["warmup"] - 1][0][1], pairs[-1][0][0]
steady = [max(mine[0], other[0]) - mine[0] for kind in set(log(0)) & set(log(1))
          for mine, other in zip(log(0)[kind], log(1)[kind]) if begin <= mine[0] <= end]
late, = (finding for finding in whole["findings"] if finding["rule"] == "comm-late-rank")
gain_ns = whole["steps"]["mean_ns"] - late["predicted_step_ns"]
told("a step without that wait", True, abs(gain_ns - sum(steady) / whole["steps"]["steady"]) < 0.01 * whole["steps"]["mean_ns"])
told("the finding has rank 1's own cause and line", True, f"rank 1 itself: host-blocked, ddp.py:{SLEEPS}" in late["evidence"])
told("rank 1 is told that it is waited for", ["comm-awaited"], rules(report(1)))
counts = whole["counts"]
told("collectives per step, as the gate counts them", counts["steps"], counts["totals"]["collectives"])
