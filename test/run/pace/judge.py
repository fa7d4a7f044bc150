#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the step times of JSON reports with what the program itself has stamped.

usage: judge.py MODE STAMPS WHOLE.json WINDOW.json...

The windows are of consecutive steps and together as long as the steady steps of the whole. Where the host
waits in each step the truth is the host's stamps of the same steps; where it runs ahead from the start, it is the
time from the first step to the end of all work, over the number of steps. Where it does so only in the
end, that time begins with the first steady step and leaves out the last one, which no other follows."""
import json
import sys

LIMIT = 0.01
KERNELS_NS = 4_000_000  # of a step, see the program


def true_mean(mode, stamps, steps):
    first = steps["warmup"] - 1  # step 0 is what came before the loop
    if mode in ("waits", "reads"):
        return (stamps[first + steps["steady"]] - stamps[first]) / steps["steady"]
    if mode == "turns":
        return (stamps[-1] - KERNELS_NS - stamps[first]) / steps["steady"]
    return (stamps[-1] - stamps[0]) / (len(stamps) - 1)


def problems(mode, stamps, whole, windows):
    steps = whole["steps"]
    if steps["count"] != len(stamps) - 1:
        yield f"{steps['count']} steps for {len(stamps) - 1}"
    true = true_mean(mode, stamps, steps)
    off = abs(steps["mean_ns"] / true - 1)
    print(f"{mode}: mean {steps['mean_ns'] / 1e6:.3f} ms, true {true / 1e6:.3f} ms ({100 * off:.2f} % off), "
          f"at the end {steps['lag_ns'] / 1e6:.1f} ms behind, {steps['lag_growth_ns'] / 1e6:.2f} ms more per step")
    if off > LIMIT:
        yield "the mean is off"
    for report in [whole, *windows]:
        found = report["steps"]
        given = sum(row["ns_per_step"] for row in report["account"])
        if not found["mean_ns"] - len(report["account"]) <= given <= found["mean_ns"]:
            yield f"the account gives {given} ns of {found['mean_ns']}"
        if not found["min_ns"] <= found["median_ns"] <= found["p95_ns"] <= found["max_ns"]:
            yield "median and p95 are out of order"
    parts = sum(window["steps"]["mean_ns"] * window["steps"]["steady"] for window in windows)
    count = sum(window["steps"]["steady"] for window in windows)
    if count != steps["steady"] or abs(parts - steps["mean_ns"] * count) > (1 + len(windows)) * count:
        yield f"windows of {count} steps add up to {parts}, not {steps['mean_ns'] * count}"
    ahead = mode in ("ahead", "half", "turns")
    if mode != "full" and ahead != (steps["lag_growth_ns"] > 0.05 * steps["mean_ns"]):
        yield f"the lag grows by {steps['lag_growth_ns']} ns per step"
    if ahead and "high" in (steps["confidence"], whole["verdict"]["confidence"]):
        yield "high confidence although the lag grows"
    if not ahead and mode != "full" and steps["lag_ns"] > 10 * true:
        yield f"{steps['lag_ns']} ns behind in the end"


def main():
    mode = sys.argv[1]
    stamps = [int(line) for line in open(sys.argv[2])]
    whole, *windows = (json.load(open(path)) for path in sys.argv[3:])
    found = list(problems(mode, stamps, whole, windows))
    for problem in found:
        print(f"{mode}: {problem}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
