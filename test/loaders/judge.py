# SPDX-License-Identifier: MIT
"""judge.py RULE REPORT STOPWATCH ("!RULE": it must not be there): status 0 as it should be, 1 not, 4 a number was withheld;
3: prints the workers (of input-decode: what the line may take, in ms; of reads in the loop: what one may take, in us) and the step in ms that a finding promises. judge.py --came-true MS STOPWATCH REPORT...: is the step that long?
--queues REPORT STOPWATCH: do the queues hold what the program saw? --numbered REPORT COUNT LOADER: are so many workers numbered, and are they that line's?"""
import json
import os
import re
import sys

UNITS = {"us": 0.001, "ms": 1, "s": 1000}
PERCENT = 15
FILLED = 0.7
STEP = r"([\d.]+) (us|ms|s)\b"


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def is_busy(report):
    """Others kept the machine busy: nothing measured then says what a loader does by itself."""
    return any(doubt["name"] in ("load", "contended") for doubt in load(report)["verdict"]["lowered_by"])


def has_few_processors(report):
    """What the workers used of the processors; others used the rest."""
    rows, processors = report["tables"]["workers"], report["workers"]["processors"]
    used = sum(row["cpu_ns"] for row in rows) / max(row["life_ns"] for row in rows) / processors
    print(f"workers used {100 * used:.0f} % of {processors} processors")
    return used < FILLED


def came_true(promised, stopwatch, *reports):
    step = load(stopwatch)["step_ms"]
    off = 100 * (float(promised) / step - 1)
    print(f"promised {float(promised):.1f} ms, is {step:.1f} ms: {off:+.1f} %")
    return 0 if abs(off) <= PERCENT else 4 if any(map(is_busy, reports)) else 1


def promise(finding, report, steps):
    text = finding["evidence"]
    if finding["rule"] == "host-blocked":
        return 0, finding["predicted_step_ns"] / 1e6
    if finding["rule"] == "input-pin-missing":
        found = re.search("a step would take no less than " + STEP, text)
        return 0, float(found[1]) * UNITS[found[2]]
    if "keep that limit" in text:  # files of 0.1 MB each
        found = re.search(r"([\d.]+) MB a second would keep that limit, and a step would take " + STEP, text)
        return round(1e5 / float(found[1])), float(found[2]) * UNITS[found[3]]
    if finding["rule"] == "input-decode":
        found = re.search(f"if it took {STEP}.* and a step would take (?:no less than )?{STEP}", text)
        return (float(found[1]) * UNITS[found[2]], float(found[3]) * UNITS[found[4]]) if found else None
    if finding["rule"] == "input-first-batch":
        saved = re.search("that stay would save " + STEP, text)
        return 0, steps["step_ms"] - float(saved[1]) * UNITS[saved[2]]
    found = re.search(r"with prefetch_factor (\d+) a step would take (?:no less than )?" + STEP, text) or \
        re.search(r"(\d+) such processes would be enough.*?, and a step would take (?:no less than )?" + STEP, text) or \
        re.search(r"(\d+) workers? would be enough.*? a step (?:would take|takes) (?:no less than )?" + STEP, text) or \
        re.search(r"with (\d+) of them a step would take as long: " + STEP, text)
    return (found[1], float(found[2]) * UNITS[found[3]]) if found else None


def queues(report, stopwatch):
    """A batch may come between the program's look and the loader's."""
    report, seen = load(report)["workers"], load(stopwatch)
    off = [abs(report[key] - seen[key]) for key in ("ready_mean", "none_ready_pct")]
    both = ", ".join(f"{key} {report[key]:.1f} and {seen[key]:.1f}" for key in ("asks", "ready_mean", "none_ready_pct", "most_ahead"))
    print(f"queues, by report and program: {both}")
    same = all(report[key] == seen[key] for key in ("asks", "most_ahead"))
    # what the pinning thread has in hand is in none of the queues that the program sees
    return 0 if same and off[0] <= 0.25 and off[1] <= (10 if "PIN" in os.environ else 5) else 1


def numbered(report, count, line):
    """Each worker has its number, and all have the line of their loader."""
    rows = [(row["worker"], row["of"], row["loader"]) for row in load(report)["tables"]["workers"]]
    print(f"workers {rows}")
    return 1 if sorted(rows) != [(n, int(count), line) for n in range(int(count))] else 0


def main(rule, report, stopwatch):
    busy, report, steps = is_busy(report), load(report), load(stopwatch)
    found = {finding["rule"]: finding for finding in reversed(report["findings"])}  # the one that costs most
    seen = f"step {steps['step_ms']:.1f} ms, waits {steps['reader_pct']:.1f} %, {', '.join(found)}"
    if rule.startswith("!"):
        print(seen)
        return 1 if rule[1:] in found else 0
    if rule == "-":
        print(seen)
        wrong = [name for name in found if name.startswith("input-") and (name != "input-taking" or steps["reader_pct"] <= 5)]
        return 0 if not wrong else 4 if busy or steps["none_ready_pct"] > 5 else 1
    if rule not in found:
        print(seen)
        return 4 if busy or (rule == "input-too-many-workers" and has_few_processors(report)) else 1
    promised = promise(found[rule], report, steps)
    print(*promised if promised else (found[rule]["evidence"],))
    return 3 if promised else 4


MODES = {"--came-true": came_true, "--numbered": numbered, "--queues": queues}
sys.exit(MODES[sys.argv[1]](*sys.argv[2:]) if sys.argv[1] in MODES else main(*sys.argv[1:]))
