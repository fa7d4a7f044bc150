# SPDX-License-Identifier: MIT
"""What is true of a scenario's run: its label, and what the device's log and the script's stamps say.

The analyzer has no part in this. Shares are those of the steady steps, in which a step reaches from
the moment at which both the host and the device are done with what was asked before one stamp to the
same moment of the next: where the host runs ahead that is the device's pace."""
import bisect
import glob
import json
import os
import re
import sys

# The published limits, in percent: waiting for data, GPU busy below and above; and what is too near to tell.
IO, CPU, GPU, NEAR = 5, 80, 90, 3
COPYING = 10
END_NS = 1 << 63
PAUSE_NS = 50_000  # a longer pause between calls is host code, not launching: published too
UNSURE = "unsure"  # of label["steps"]: the report has to say that it does not know where they end
LISTS = ("class", "cause", "rule", "says", "never", "steps", "phases")


def name_of(script):
    return os.path.splitext(os.path.basename(script))[0]


class Label:
    """The header of a scenario: `truth: KEY=VALUE ...`, `cudasim: VARIABLE=VALUE ...`, and marked lines."""

    def __init__(self, script):
        self.script, self.name, self.values, self.settings = script, name_of(script), {}, {}
        self.lines, self.any_line, self.functions = set(), set(), {}
        with open(script, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                self.read(number, line)
        for key in LISTS:
            self.values[key] = [value for value in self.values.get(key, "").split("|") if value]
        self.ahead, self.tail = self.values.get("ahead", "no"), self.values.get("tail", "none")

    def read(self, number, line):
        found = re.search(r"\b(truth|cudasim): (.+?)(?: \*/)?\s*$", line)
        if not found:
            return
        what, text = found.groups()
        if text in ("here", "or here"):
            (self.lines if text == "here" else self.any_line).add(number)
            function = re.search(r"(\w+)\(", line)
            self.functions[number] = function.group(1) if function else None
            return
        pairs = (pair.split("=", 1) for pair in text.split())
        (self.values if what == "truth" else self.settings).update(pairs)

    def __getitem__(self, key):
        return self.values[key]

    def problems(self):
        """What is wrong with the header itself."""
        for key in ("class", "cause", "steps"):
            if not self[key]:
                yield f"no {key}"
        if bool(self["rule"]) != bool(self.lines or self.any_line):
            yield "a rule needs a marked line, and a marked line a rule"


def read_stamps(output):
    """The stamps of the run, None without any."""
    lines = [line for line in output.splitlines() if line.startswith("stamps ")]
    return json.loads(lines[-1][len("stamps "):]) if lines else None


def read_log(folder, pid):
    """Of the script's own process: operations of the device as (asked for, begin, end, kind, name), and the long
    pauses between its calls."""
    begun, entries, calls = {}, [], []
    for path in glob.glob(os.path.join(folder, f"log-{pid}")):
        with open(path, encoding="utf-8") as file:
            for line in file:
                entry = json.loads(line) if line.endswith("\n") else {"type": None}
                if entry["type"] == "call":
                    begun[entry["call"]] = entry["begin_ns"]
                    calls.append((entry["begin_ns"], entry["end_ns"]))
                # a function of the program's that the device calls back is no work of the device
                elif entry["type"] == "op" and entry["op"] != "host":
                    entries.append(entry)
    operations = sorted((begun.get(op["call"], op["begin_ns"]), op["begin_ns"], op["end_ns"], op["op"],
                         sys.intern(op.get("kernel", ""))) for op in entries)
    return operations, long_only(minus([(0, END_NS)], calls))


class Joined(list):
    """Stretches in order and without overlap."""


def union(spans):
    """The same stretches, in order and without overlap."""
    if isinstance(spans, Joined):
        return spans
    joined = Joined()
    for begin, end in sorted(spans):
        if joined and begin <= joined[-1][1]:
            joined[-1][1] = max(end, joined[-1][1])
        elif end > begin:
            joined.append([begin, end])
    return joined


def minus(spans, others):
    """What of the spans none of the others covers."""
    left, others = Joined(), union(others)
    ends = [end for _, end in others]
    for begin, end in union(spans):
        at = bisect.bisect_right(ends, begin)
        while at < len(others) and others[at][0] < end:
            if others[at][0] > begin:
                left.append([begin, others[at][0]])
            begin = max(begin, others[at][1])
            at += 1
        if end > begin:
            left.append([begin, end])
    return left


def long_only(spans):
    return Joined(span for span in spans if span[1] - span[0] > PAUSE_NS)


def within(spans, others):
    return minus(spans, minus(spans, others))


def length(spans):
    return sum(end - begin for begin, end in spans)


class Pace:
    """When both host and device were done with what had been asked before a stamp."""

    def __init__(self, operations):
        self.asked, self.done, latest = [], [], 0
        for asked, _, end, *_ in operations:
            latest = max(latest, end)
            self.asked.append(asked)
            self.done.append(latest)

    def at(self, stamp):
        before = bisect.bisect_left(self.asked, stamp)
        return max(stamp, self.done[before - 1]) if before else stamp


class Run:
    """Figures of one run: steps, step_ns, lag_ns, and shares in percent of the steady steps.

    earlier_ns and earlier are the mean and the shares of as many steps that begin and end one earlier; pauses_pct the
    share in which the device is idle in long pauses between calls, outside of what was planted; ran_pct, cause by cause,
    the share in which the thread, or the one whose answer it waits for, ran in what was planted."""

    def __init__(self, stamps, operations, pauses, warm=None):
        self.stamps, self.operations, self.pauses = stamps, operations, pauses
        stamps["spans"] = [(*span, 0)[:4] for span in stamps["spans"]]
        warm = stamps["warm"] if warm is None else warm
        pace, ends = Pace(operations), stamps["ends"]
        self.steps, self.steady = stamps["steps"], stamps["steps"] - warm
        self.lag_ns = pace.at(ends[-1]) - ends[-1]
        self.shares, self.waits_pct, self.pauses_pct, self.step_ns, self.earlier_ns = {}, 0.0, 0.0, None, None
        self.earlier, self.ran_pct = {}, {}
        if self.steady <= 0:
            return
        gaps = [(pace.at(begin), pace.at(end)) for begin, end in stamps["gaps"]]
        steady = minus([(pace.at(ends[warm]), pace.at(ends[-1]))], gaps)
        self.step_ns = self.earlier_ns = length(steady) / self.steady
        if warm > 0:
            earlier = minus([(pace.at(ends[warm - 1]), pace.at(ends[-2]))], gaps)
            self.earlier_ns = length(earlier) / self.steady
            self.earlier = self.measure(earlier, operations, stamps["spans"])
        self.shares = self.measure(steady, operations, stamps["spans"])
        self.earlier = self.earlier or self.shares

    def after(self, warm):
        """The same with another number of steps set aside."""
        return Run(self.stamps, self.operations, self.pauses, warm)

    def measure(self, steady, operations, spans):
        """The shares; waits_pct and pauses_pct are left as they were measured last."""
        total = length(steady) or 1
        kernels = union((op[1], op[2]) for op in operations if op[3] == "kernel" and "nccl" not in op[4])
        everything = union((op[1], op[2]) for op in operations)
        idle = minus(steady, everything)
        shares = {"device_compute": length(within(steady, kernels)), "idle": length(idle)}
        shares["device_copy"] = total - sum(shares.values())
        self.ran_pct = {}
        for cause in {span[0] for span in spans}:
            shares[cause] = length(within(idle, [span[1:3] for span in spans if span[0] == cause]))
            ran = sum(min(span[3], length(within(steady, [span[1:3]]))) for span in spans if span[0] == cause)
            self.ran_pct[cause] = 100 * ran / total
        pauses = minus(within(steady, self.pauses), [span[1:3] for span in spans])
        self.pauses_pct = 100 * length(within(idle, long_only(pauses))) / total
        waits = [span[1:3] for span in spans if span[0] == "idle_input"]
        self.waits_pct = 100 * length(within(steady, waits)) / total
        return {name: 100 * share / total for name, share in shares.items()}

    def classes(self):
        """Every class that the published limits allow, with what is too near a limit to tell."""
        if self.steady <= 0:
            return {"none"}
        idle, data = self.shares["idle"], self.shares.get("idle_input", 0.0)
        busy, found = 100 - idle, set()
        if data > IO - NEAR / 3:
            found.add("io")
        if data < IO + NEAR / 3 or idle - data > data:
            found |= {"cpu"} if busy < CPU + NEAR else set()
            found |= {"mixed"} if CPU - NEAR < busy < GPU + NEAR else set()
            found |= {"gpu"} if busy > GPU - NEAR else set()
        if self.shares["device_copy"] > max(COPYING, self.shares["device_compute"]):
            found.add("gpu")
        return found


def contradictions(label, run):
    """Where the run does not bear the label out."""
    if "none" not in label["class"] and not run.classes() & set(label["class"]):
        yield (f"class {'|'.join(label['class'])}, but the log says {'|'.join(sorted(run.classes()))}: busy "
               f"{100 - run.shares['idle']:.1f} %, idle for data {run.shares.get('idle_input', 0):.1f} %")
    counts = [count for count in label["steps"] if count not in ("any", UNSURE)]
    if counts and str(run.steps) not in counts:
        yield f"steps {'|'.join(label['steps'])}, but the stamps say {run.steps}"
    ahead = bool(run.step_ns) and run.lag_ns > run.step_ns
    if ahead and label.ahead == "no":
        yield f"the host ends {run.lag_ns / 1e6:.1f} ms ahead of the device, which the label does not say"
    if label.ahead == "yes" and not ahead:
        yield f"the label says that the host runs ahead, but it ends only {run.lag_ns / 1e6:.1f} ms ahead"
    if "device_copy" in label["cause"] and len(label["cause"]) == 1 and run.shares["device_copy"] < COPYING:
        yield f"cause device_copy, but copying alone takes {run.shares['device_copy']:.1f} %"
    planted = {cause: share for cause, share in run.shares.items() if cause.startswith("idle_")}
    if planted and set(planted) <= set(label["cause"]) and max(planted.values()) < run.shares["idle"] / 2:
        yield f"cause {'|'.join(label['cause'])} has less than half of the idling ({run.shares['idle']:.1f} %)"


def load(folder, label):
    """The run in this folder; ValueError says why there is none."""
    with open(os.path.join(folder, "out"), encoding="utf-8", errors="replace") as file:
        output = file.read()
    with open(os.path.join(folder, "code"), encoding="utf-8") as file:
        pid, code = map(int, file.read().split())
    if code:
        raise ValueError(f"ended with {code}: {' '.join(output.strip().splitlines()[-1:])[:200]}")
    stamps = read_stamps(output)
    if stamps is None:
        raise ValueError("printed no stamps")
    if label.tail == "step":
        stamps["ends"][-1] = stamps["end_ns"]
    return Run(stamps, *read_log(folder, pid))
