# SPDX-License-Identifier: MIT
"""Check torch.profiler's device events against the device's own log: counts, times, bytes, operators."""
import collections
import json
import os
import subprocess
import sys
import tempfile

import simlog
import torch
from torch.profiler import ProfilerActivity, profile

STEPS = 10
GRAPH_REPLAYS = 3
passed = failed = 0


def check(holds, text):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    if not holds:
        print("not ok", text)


def demangle(names):
    """Mangled name -> the name that the profiler shows."""
    ordered = sorted(names)
    shown = subprocess.run(["c++filt"], input="\n".join(ordered), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return dict(zip(ordered, shown))


def work():
    """A few training steps, a set, copies of every direction, and a replayed graph."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    pinned, zeros = torch.randn(64, 8).pin_memory(), torch.empty(4096, device="cuda")
    side, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        zeros.add_(1)
    torch.cuda.current_stream().wait_stream(side)
    with torch.cuda.graph(graph):
        zeros.mul_(2)

    def steps():
        for _ in range(STEPS):
            loss = model(pinned.to("cuda", non_blocking=True)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss.item()
        zeros.zero_()
        zeros.clone().cpu()
        for _ in range(GRAPH_REPLAYS):
            graph.replay()
        torch.cuda.synchronize()

    return steps


def sums(pairs):
    """name -> (count, total ns)"""
    found = collections.defaultdict(lambda: [0, 0.0])
    for name, duration in pairs:
        found[name][0] += 1
        found[name][1] += duration
    return found


def compare(what, truth, shown):
    check(truth, f"{what}: nothing in the log")
    for name in sorted(set(truth) | set(shown)):
        there, here = truth.get(name, [0, 0]), shown.get(name, [0, 0])
        check(there[0] == here[0], f"{what} {name[:80]}: {here[0]} instead of {there[0]}")
        check(abs(there[1] - here[1]) <= 0.01 * there[1] + 10 * there[0],
              f"{what} {name[:80]}: {here[1]:.0f} ns instead of {there[1]:.0f}")


def trace_of(profiler):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profiler.export_chrome_trace(path)
        with open(path, encoding="utf-8") as file:
            return json.load(file)["traceEvents"]


def check_correlation(events):
    """Each kernel leads to a call, and each copy, set and kernel of a step to an operator."""
    operators = {event["args"]["External id"] for event in events if event.get("cat") == "cpu_op"}
    calls = {event["args"]["correlation"]: event for event in events
             if event.get("cat") in ("cuda_runtime", "cuda_driver")}
    for event in events:
        if event.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset"):
            continue
        call = calls.get(event["args"]["correlation"])
        check(call, f"{event['name'][:60]}: no call of correlation {event['args']['correlation']}")
        check(not call or call["ts"] <= event["ts"], f"{event['name'][:60]}: began before its call")
        if call and "Graph" not in call["name"]:
            check(event["args"].get("External id") in operators, f"{event['name'][:60]}: no operator")


def check_short():
    """Even a profile of one kernel shows it."""
    x = torch.ones(8, device="cuda")
    for _ in range(5):
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            x.add_(1)
            torch.cuda.synchronize()
        shown = sum("elementwise_kernel" in event.name for event in profiler.events())
        check(shown == 1, f"a profile of one kernel shows {shown}")


def main():
    steps = work()
    steps()
    before = len(simlog.operations())
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as profiler:
        steps()
    log = simlog.operations()[before:]
    events = trace_of(profiler)

    names = demangle({op["kernel"] for op in log if op["op"] == "kernel"})
    truth = sums((names[op["kernel"]], op["end_ns"] - op["begin_ns"]) for op in log if op["op"] == "kernel")
    compare("kernel", truth, sums((e["name"], 1000 * e["dur"]) for e in events if e.get("cat") == "kernel"))
    for kind, category in (("memcpy", "gpu_memcpy"), ("memset", "gpu_memset")):
        truth = sums((op["bytes"], op["end_ns"] - op["begin_ns"]) for op in log if op["op"] == kind)
        shown = sums((e["args"]["bytes"], 1000 * e["dur"]) for e in events if e.get("cat") == category)
        if truth or kind == "memcpy":
            compare(kind, {str(k): v for k, v in truth.items()}, {str(k): v for k, v in shown.items()})
    check_correlation(events)

    table = {row.key: row for row in profiler.key_averages()}
    check(table["aten::addmm"].device_time_total > 0, "aten::addmm has no device time")
    total = sum(row.self_device_time_total for row in table.values()
                if str(row.device_type).endswith("CUDA") and not row.key.startswith("Optimizer"))
    busy = sum(op["end_ns"] - op["begin_ns"] for op in log if op["op"] != "host") / 1000
    check(abs(total - busy) < 0.01 * busy, f"the table sums up to {total:.1f} us instead of {busy:.1f}")
    check_short()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
