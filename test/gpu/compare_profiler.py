#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the device operations of a trace with what torch.profiler counted in another run of the same steps.

usage: compare_profiler.py PROFILE.json TRACE...      (workload.py writes PROFILE.json)
Operations between the range "measured" of the traced program's NVTX marks count, or, without any, the last
ones of each name, as many as the profiler has. Per name the count must be equal and the total time within
LIMIT, with SLACK_NS per operation for clocks that tick in coarser steps. Exits 1 when something differs."""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import read_trace  # noqa: E402

LIMIT = 0.01
SLACK_NS = 40
KINDS = {"device_kernel", "device_copy", "device_set"}
DIRECTIONS = {0: "HtoH", 1: "HtoD", 2: "DtoH", 3: "DtoD", 5: "PtoP"}


def demangle(names):
    ordered = sorted(names)
    shown = subprocess.run(["c++filt"], input="\n".join(ordered), capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return dict(zip(ordered, shown))


def profiler_rows(path):
    """As the profiler writes them; of copies and sets only the kind, since names of memory differ by version."""
    rows = collections.defaultdict(lambda: [0, 0])
    for name, (count, total_ns) in json.load(open(path, encoding="utf-8")).items():
        short = " ".join(name.split()[:2]) if name.startswith("Memcpy") else name
        short = "Memset" if name.startswith("Memset") else short
        rows[short][0] += count
        rows[short][1] += total_ns
    return rows


def read_operations(paths):
    """(name, begin, end) in order of begin, and the limits of the measured range if it is marked."""
    operations, limits = [], None
    for path in paths:
        for event in read_trace.Trace(path).events():
            if event["kind"] == "range" and event.get("name") == "measured":
                limits = event["begin"], event["end"]
            if event["kind"] in KINDS:
                name = event.get("kernel") or "Memset"
                if event["kind"] == "device_copy":
                    name = "Memcpy " + DIRECTIONS.get(event["direction"], "?")
                operations.append((name, event["begin"], event["end"]))
    operations.sort(key=lambda operation: operation[1])
    return operations, limits


def trace_rows(paths, wanted):
    operations, limits = read_operations(paths)
    if limits:
        operations = [one for one in operations if limits[0] <= one[1] <= limits[1]]
    names = demangle({name for name, *_ in operations})
    found = collections.defaultdict(list)
    for name, begin, end in operations:
        found[names[name]].append(end - begin)
    if not limits:
        found = {name: times[-wanted[name][0]:] if name in wanted else [] for name, times in found.items()}
    return {name: [len(times), sum(times)] for name, times in found.items() if times}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--show", action="store_true", help="print every row")
    parser.add_argument("profile")
    parser.add_argument("traces", nargs="+")
    arguments = parser.parse_args()
    there = profiler_rows(arguments.profile)
    here = trace_rows(arguments.traces, there)
    problems, worst = [], 0.0
    for name in sorted(set(there) | set(here)):
        (count, total), (own_count, own_total) = there.get(name, [0, 0]), here.get(name, [0, 0])
        off = abs(own_total - total) / total if total else 1.0
        worst = max(worst, off)
        if arguments.show:
            print(f"{count:8} {own_count:8} {total:14} {own_total:14} {100 * off:8.3f} %  {name[:100]}")
        if own_count != count:
            problems.append(f"{name[:100]}: {own_count} instead of {count}")
        elif abs(own_total - total) > LIMIT * total + SLACK_NS * count:
            problems.append(f"{name[:100]}: {own_total} ns instead of {total}")
    for problem in problems[:20]:
        print(problem)
    operations = sum(count for count, _ in there.values())
    print(f"{len(there)} names, {operations} operations, worst total off by {100 * worst:.2f} %, "
          f"{len(problems)} differences")
    sys.exit(bool(problems) or not there)


if __name__ == "__main__":
    main()
