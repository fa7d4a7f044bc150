# SPDX-License-Identifier: MIT
"""Compare a run with what the program says of itself: judge.py MODE REPORT DUMP OWN; or what the report of the slow
loader promises with the run that has workers: judge.py gain REPORT OWN"""
import collections
import glob
import json
import os
import re
import statistics
import sys

POINTS, PERCENT, OPERATOR_PERCENT, GAIN_PERCENT = 2, 3, 5, 5
LONG_NS = 20e3  # what takes less is for a good part the cost of two clocks
PHASES = ("backward", "Gradient Backward", "Optimization Step", "forward of the script")
READS = {"slow": "Tensor.item", "workers": "Tensor.numpy", "profiled": "Tensor.numpy"}
STEPS = ("Optimizer.step#adam", "Optimization Step")  # without Paddle's profiler, and with it


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def operators(lines, since=None):
    """Name to durations in ns, of the trace's events from the first one of a name on."""
    found = (re.search(r"^\+([\d.]+) +([\d.]+)us \d+ +op +name=(.*?) scope=", line) for line in lines)
    events = [(float(event.group(1)), 1e3 * float(event.group(2)), event.group(3)) for event in found if event]
    begin = min((at for at, _, name in events if name == since), default=0)
    times = collections.defaultdict(list)
    for at, length, name in events:
        if at >= begin:
            times[name].append(length)
    return times


def line_of(mark):
    with open(os.path.join(os.path.dirname(__file__), "program.py"), encoding="utf-8") as file:
        return next(number for number, text in enumerate(file, 1) if text.endswith(f"# {mark}\n"))


def reads(path, mode):
    """How often the trace has a read of a tensor at the script's line for it."""
    line = line_of(f"read: {mode}")
    with open(path, encoding="utf-8") as file:
        return sum(f"name={READS[mode]} " in text and f"program.py:{line} " in text for text in file)


def union(events):
    """How long some of them ran, in ns: begin and end."""
    length = at = 0
    for begin, end in sorted(events):
        length += max(0, end - max(at, begin))
        at = max(at, end)
    return length


def overview(rows, folder):
    """What differs between the table of unions and those of the profiler's own events."""
    kinds = collections.defaultdict(list)
    for event in load(glob.glob(folder + "/*.json")[0])["traceEvents"]:
        if event.get("ph") == "X":
            kinds[event["cat"]].append((1e3 * event["ts"], 1e3 * (event["ts"] + event["dur"])))
    operators = [kinds[name] for name in ("Operator", "OperatorInner", "UserDefined", "PythonUserDefined", "Backward")]
    wanted = {"operators": sum(operators, []), "optimizer": kinds["Optimization"], "ranges": kinds["Forward"]}
    rows = {row["name"]: row for row in rows}
    wrong = []
    for name, events in wanted.items():
        ratio = rows[name]["busy_ns"] / union(events)
        if abs(ratio - 1) > OPERATOR_PERCENT / 100 or rows[name]["busy_pct"] > 100:
            wrong.append(f"overview: {name} {100 * ratio:.1f} %")
    return wrong


def profiled(folder):
    """The same of the profiler's: "relu dygraph[3.2 us]" is its name of an event."""
    times = collections.defaultdict(list)
    for event in load(glob.glob(folder + "/*.json")[0])["traceEvents"]:
        if event.get("ph") == "X" and not event["name"].startswith("ProfileStep"):
            times[re.sub(r"\[[^]]*\]$", "", event["name"])].append(1e3 * event["dur"])
    return times


def compare(trace, profile):
    """What differs, and what was compared: the same event by both clocks. The median, because a thread that loses its
    processor between the two clock reads has lost it in one of them only."""
    wrong, kinds = [], 0
    for name, times in profile.items():
        found, usual = trace.get(name, []), statistics.median(times)
        if len(found) != len(times):
            wrong.append(f"{name}: {len(found)} of {len(times)}")
        elif usual > LONG_NS or name in PHASES:
            kinds += 1
            ratio = statistics.median(own / its for own, its in zip(found, times))
            if abs(ratio - 1) > OPERATOR_PERCENT / 100:
                wrong.append(f"{name}: {100 * ratio:.1f} % of {usual / 1e3:.2f} us")
    if len(profile) < 20 or kinds < 3:
        wrong.append("too little to compare")
    return wrong, f"{len(profile)} kinds of events as often as the profiler has them, {kinds} of them as long"


def own_timer(path):
    """Share of the reader in percent, as Paddle's own timer prints it."""
    with open(path, encoding="utf-8") as file:
        found = re.search(r"Reader Ratio: ([\d.]+)%", file.read())
    return float(found.group(1)) if found else -1


def waits_at(report, mark):
    return any(finding["rule"] in ("input-bound", "input-single-process") and finding["line"] == line_of(mark)
               for finding in report["findings"])


def gain(report, own):
    """Workers: what was promised for the slow loader, and what they gave."""
    report, step_ns = load(report), load(own)["step_ns"]
    promised = [finding["predicted_step_ns"] for finding in report["findings"]
                if finding["rule"] in ("input-bound", "input-single-process") and finding["predicted_step_ns"]]
    off = 100 * (min(promised, default=0) / step_ns - 1)
    print(f"promised {min(promised, default=0) / 1e6:.2f} ms, with workers {step_ns / 1e6:.2f} ms: {off:+.1f} %")
    sys.exit(abs(off) > GAIN_PERCENT)


def fitted(report, truth):
    """A library's loop: evaluations and checkpoints are no part of its steps."""
    phases = {phase["phase"]: phase for phase in report["between_steps"]}
    evaluation = phases.get("evaluation", {"count": 0, "ns": 0})
    off = 100 * (report["steps"]["mean_ns"] / truth["step_ns"] - 1)
    longer = 100 * (evaluation["ns"] / truth["evaluation_ns"] - 1)
    text = (f"{report['steps']['count']} steps, mean {off:+.2f} %, {evaluation['count']} evaluations, together "
            f"{longer:+.1f} %")
    return text, [what for what, bad in (
        ("steps", report["steps"]["count"] != truth["steps"]), ("mean", abs(off) > PERCENT),
        ("evaluations", evaluation["count"] != truth["evaluations"]),
        # the first batch of the next epoch and the file of a checkpoint may count as its end
        ("their time", not -PERCENT < longer < 3 * PERCENT),
    ) if bad]


def costs_agree(report, truth):
    """The table of costs with the stop-watch; its averages between its extremes."""
    rows = {row["name"]: row for row in report["tables"]["perf_summary"]}
    batch, reader = rows["batch_cost"], rows["reader_cost"]
    return (abs(batch["avg_ns"] / truth["step_ns"] - 1) <= PERCENT / 100
            and abs(reader["ratio_pct"] - truth["reader_pct"]) <= POINTS
            and all(row["count"] == report["steps"]["steady"] and row["min_ns"] <= row["avg_ns"] <= row["max_ns"]
                    for row in rows.values()))


def main(mode, report, dump, own):
    report, truth = load(report), load(own)
    if mode == "fit":
        text, wrong = fitted(report, truth)
        print(text, *(["; wrong:", ", ".join(wrong)] if wrong else []))
        sys.exit(bool(wrong))
    with open(dump, encoding="utf-8") as file:
        trace = operators(file, "forward of the script")
    wrong = []
    if mode != "static":
        steps = sum(len(trace[name]) for name in STEPS)
        wrong += [] if steps == truth["steps"] else [f"{steps} steps of {truth['steps']}"]
        found = reads(dump, mode)
        wrong += [] if found == truth["steps"] else [f"{found} reads at their line"]
    if mode == "profiled":
        more, text = compare(trace, profiled(own + ".profile"))
        wrong += more + overview(report["tables"]["overview"], own + ".profile")
    else:
        ratio, wanted = report["ratios"]["reader_pct"], truth["reader_pct"]
        off = 100 * (report["steps"]["mean_ns"] / truth["step_ns"] - 1)
        text = (f"{report['verdict']['class']}, {report['steps']['count']} steps, waits for data {ratio:.1f} % (stop-watch "
                f"{wanted:.1f} %), mean step {off:+.2f} %")
        wrong += [what for what, bad in (
            ("steps", report["steps"]["count"] != truth["steps"]), ("reader", abs(ratio - wanted) > POINTS),
            ("mean", abs(off) > PERCENT), ("health", report["health"]["status"] != "good"),
            ("class", (report["verdict"]["class"] == "io") != (mode in ("slow", "static"))),
            ("line", mode == "slow" and not waits_at(report, "batches")),
            ("costs", mode != "static" and not costs_agree(report, truth)),
            ("Paddle's own timer", mode != "static" and abs(own_timer(own + ".timer") - ratio) > POINTS),
            ("batches", len(trace["ReadNextList"]) != truth["steps"]),
        ) if bad]
    print(text, *(["; wrong:", ", ".join(wrong)] if wrong else []))
    sys.exit(bool(wrong))


if sys.argv[1] == "gain":
    gain(*sys.argv[2:])
main(*sys.argv[1:])
