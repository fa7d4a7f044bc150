# SPDX-License-Identifier: MIT
"""Compare a report with the simulated device's log: judge_device.py REPORT LOG [--workers N] [--never PATTERN] [--operators NAMES]

Kernels have to be named and counted as the device ran them, each operation has to have its recorded
call, the number of loader workers has to be N, and no advice may match PATTERN; --operators:
these and no others of a framework are told."""
import argparse
import collections
import json
import re
import sys

MANGLED = "_Z"
ALL = 100


def ran(log):
    """Kernel -> launches, as the device has it; C++ names under one, as a report has them demangled."""
    found = collections.Counter()
    with open(log, encoding="utf-8") as file:
        for line in file:
            entry = json.loads(line)
            if entry["type"] == "op" and entry["op"] == "kernel":
                found[plain(entry["kernel"])] += 1
    return found


def plain(name):
    return "C++" if name.startswith(MANGLED) or "::" in name else name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("report")
    parser.add_argument("log")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--never")
    parser.add_argument("--operators", default="any")
    options = parser.parse_args()
    with open(options.report, encoding="utf-8") as file:
        report = json.load(file)
    told = collections.Counter()
    for row in report["tables"]["kernels"]:
        told[plain(row["name"])] += row["count"]
    wanted = ran(options.log)
    wrong = [f"{name}: {told[name]} instead of {wanted[name]}" for name in {*told, *wanted} if told[name] != wanted[name]]
    if not wanted:
        wrong.append("the device ran no kernel")
    if report["health"]["matched_pct"] != ALL:
        wrong.append(f"{report['health']['matched_pct']} % of the operations have a call")
    workers = report["workers"]["most_at_a_time"] if report["workers"] else 0
    if options.workers is not None and workers != options.workers:
        wrong.append(f"{workers} loader workers instead of {options.workers}")
    told_operators = sorted({row["name"] for row in report["tables"]["operators"]})
    if options.operators not in ("any", ",".join(told_operators)):
        wrong.append(f"operators {told_operators} instead of {options.operators}")
    if options.never:
        wrong += [f"{finding['rule']}: {finding['advice']}" for finding in report["findings"]
                  if re.search(options.never, finding["advice"] or "")]
    print("\n".join(wrong[:5]) or f"{len(wanted)} kernels named, {sum(wanted.values())} launches counted")
    sys.exit(bool(wrong))


main()
