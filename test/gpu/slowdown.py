#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Median step times of workload.py, plain, with hooks alone, with hooks and device activity, and under
torch.profiler, taken in turns so that what the machine does meanwhile hits all alike; ratios to plain.

usage: slowdown.py LIBRARY OUT [ROUNDS [STEPS]]       prints JSON; traces go to OUT/slow-*"""
import json
import os
import pathlib
import statistics
import subprocess
import sys

WORKLOAD = pathlib.Path(__file__).with_name("workload.py")


def variants(library, out):
    preload = {"LD_PRELOAD": library, "LIBTRACE_LOG": "quiet"}
    return {
        "plain": ({}, []),
        "hooks": (dict(preload, LIBTRACE_SOURCES="runtime,driver,alloc", LIBTRACE_OUT=f"{out}/slow-hooks-%p"), []),
        "all_but_activity": (dict(preload, LIBTRACE_SOURCES="-activity", LIBTRACE_OUT=f"{out}/slow-all-%p"), []),
        "activity": (dict(preload, LIBTRACE_OUT=f"{out}/slow-activity-%p"), []),
        "profiler": ({}, ["--profile", f"{out}/slow-profile.json"]),
    }


def main():
    library, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    steps = sys.argv[4] if len(sys.argv) > 4 else "200"
    medians = {name: [] for name in variants(library, out)}
    for _ in range(rounds):
        for name, (more, arguments) in variants(library, out).items():
            times = f"{out}/slow-{name}.ns"
            pathlib.Path(times).unlink(missing_ok=True)
            subprocess.run([sys.executable, str(WORKLOAD), steps, "--time", times, *arguments], check=True,
                           env=dict(os.environ, **more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            medians[name].append(int(pathlib.Path(times).read_text(encoding="ascii")))
    plain = statistics.median(medians["plain"])
    pairs = {name: sorted(value / base for value, base in zip(values, medians["plain"]))
             for name, values in medians.items()}
    print(json.dumps({"rounds": rounds, "steps": int(steps), "plain_step_ns": plain,
                      "ratio": {name: {"median": round(statistics.median(values), 4), "min": round(values[0], 4),
                                       "max": round(values[-1], 4)} for name, values in pairs.items()}}, indent=1))


if __name__ == "__main__":
    main()
