# SPDX-License-Identifier: MIT
"""Compare a JSON report with what is true of the run: one row of the table, and what is bad about it."""
import os

import truth

STEP_PCT, ACCOUNT_POINTS = 1.0, 2.0
WAITS = ("idle_input", "idle_blocked")
LOUD = ("medium", "high")
ASPECTS = ("wrong", "unsure", "line", "steps", "mean", "account", "advice")
COLUMNS = ("scenario", "CUPTI", "truth", "busy %", "verdict", "sure", "result", "line", "steps", "mean off %",
           "account off", "bad")


def verdict_of(label, run, report):
    """right, unsure (not right, and it says so) or wrong (not right, and confident)."""
    verdict = report["verdict"]
    doubtful = verdict["confidence"] == "low" or verdict["class"] == "insufficient"
    if "none" in label["class"] and doubtful:
        return "right"
    if verdict["class"] in label["class"] and verdict["cause"] in label["cause"]:
        return "right"
    if verdict["class"] not in label["class"] and verdict["class"] in run.classes():
        return "right"  # this run was too near to a limit
    return "unsure" if doubtful else "wrong"


def names_place(label, finding, number):
    if label.script.endswith(".c"):
        return finding["function"] == label.functions[number]
    return finding["line"] == number and os.path.basename(finding["file"] or "") == os.path.basename(label.script)


def lines_of(label, report):
    """- without a line to name; yes, or what is missing: no rule at it, or another rule; or a finding of no line."""
    missing = set(label["says"]) - {finding["rule"] for finding in report["findings"]}
    if missing:
        return "no " + ",".join(sorted(missing))
    if not label["rule"]:
        return "-"
    named = {number: {finding["rule"] for finding in report["findings"] if names_place(label, finding, number)}
             for number in label.lines | label.any_line}
    right = {number for number, rules in named.items() if rules & set(label["rule"])}
    if label.lines <= right and (not label.any_line or label.any_line & right):
        return "yes"
    others = sorted({rule for rules in named.values() for rule in rules} - set(label["rule"]))
    return "as " + ",".join(others) if others else "no"


def is_unsure_of_steps(report):
    return report["steps"]["confidence"] == "low" or not report["steps"]["steady"]


def doubts(report):
    return {doubt["name"] for doubt in report["verdict"]["lowered_by"]}


def steps_of(label, report):
    """The count, with ? where the report is not sure of it; and whether that is good enough."""
    steps = report["steps"]
    unsure = is_unsure_of_steps(report)
    good = unsure or label["steps"] == ["any"] or str(steps["count"]) in label["steps"]
    between = sorted(f"{phase['phase']}:{phase['count']}" for phase in report["between_steps"])
    good = good and (not label["phases"] or between == sorted(label["phases"]))
    return f"{steps['count']}{'?' * unsure}", good


def mean_off(run, report):
    """How far the report's mean is from the true step, in percent; None where there is none.

    A report's steps end somewhere between two stamps, so its mean may lie between those of the same
    steps and of those one earlier, which are alike unless the first or the last one was long. And those
    that it leaves out (the process was stopped in them) may have been as long as any other."""
    steps = report["steps"]
    mean = steps["mean_ns"]
    if not mean or not run.step_ns:
        return None
    low, high = sorted((run.step_ns, run.earlier_ns))
    absent = max(0, steps["count"] - steps["warmup"] - steps["steady"])
    least, most = sorted((mean, (mean * steps["steady"] + steps["max_ns"] * absent) / (steps["steady"] + absent)))
    return 100 * (max(0.0, least - high) + min(0.0, most - low)) / run.step_ns


def is_mean_open(label, run, report):
    """The report says itself that the mean is none to rely on, with the doubt for it: it is not certain what a step is,
    where the label says that nobody can be; or phases were not seen apart from steps, and the true mean is within the
    limits that it gives."""
    if truth.UNSURE in label["steps"] and is_unsure_of_steps(report):
        return not report["steps"]["steady"] or "steps" in doubts(report)
    steps = report["steps"]
    return ("phases" in doubts(report) and run.step_ns is not None and
            steps["mean_low_ns"] <= min(run.step_ns, run.earlier_ns) and
            max(run.step_ns, run.earlier_ns) <= steps["mean_high_ns"])


def beyond(told, run, name):
    """How far a share is above both those of the same steps and of those one earlier, or below them, as in mean_off()."""
    low, high = sorted((run.shares[name], run.earlier[name]))
    return max(0.0, told - high) + min(0.0, told - low)


def account_off(label, run, report):
    """The largest difference of a share in points; where the device was not measured, from its own bounds."""
    rows = {row["cause"]: row["pct"] for row in report["account"]}
    if not rows or not run.shares:
        return None
    ratios = report["ratios"]
    if ratios["gpu_busy_is"] != "measured":
        busy = 100 - run.shares["idle"]
        return max(0.0, ratios["gpu_busy_low_pct"] - busy, busy - ratios["gpu_busy_high_pct"])
    told = {"device_compute": rows["device_compute"], "device_copy": rows["device_copy"],
            "idle": sum(share for cause, share in rows.items() if not cause.startswith("device_"))}
    off = [abs(beyond(told[name], run, name)) for name in told]
    for cause in run.shares:
        if cause.startswith("idle_"):
            alike = set(label["cause"]) if cause in label["cause"] else set(cause.split("|"))
            less = -beyond(sum(share for name, share in rows.items() if name in alike), run, cause)
            # Who runs does not wait: around a wait lies code that is told as what it is.
            if cause in WAITS:
                less -= min(max(less, 0.0), run.ran_pct[cause])
            # A row that serves for several causes may hold more than was planted, but not less; the host's own code
            # is also what lies in the other long pauses between its calls, and what ran around a wait.
            around = sum(ran for name, ran in run.ran_pct.items() if name in WAITS)
            more = run.pauses_pct + around if alike == {"idle_host"} else 0.0
            off.append(max(less, -less - more) if len(alike) == 1 else max(0.0, less))
    return max(off)


def false_rules(label, run, report):
    """What would be wrong advice; to mend the input is none where this run's log says that it costs something."""
    loud = {finding["rule"] for finding in report["findings"] if finding["severity"] in LOUD}
    return sorted((loud & set(label["never"])) - ({"input-bound"} if "io" in run.classes() else set()))


class Row:
    """One scenario in one pass: cells for the table, and the bad aspects."""

    def __init__(self, label, what, run, report):
        self.name, self.what = label.name, what
        told = report["steps"]
        if told["count"] == run.steps and told["steady"]:
            run = run.after(told["warmup"])  # which steps are steady is no matter of truth
        result, line = verdict_of(label, run, report), lines_of(label, report)
        steps, steps_good = steps_of(label, report)
        mean, account = mean_off(run, report), account_off(label, run, report)
        false = false_rules(label, run, report)
        self.result, self.line = result, line
        open_mean = self.open_mean = is_mean_open(label, run, report)
        judged = {"wrong": result == "wrong", "unsure": result == "unsure", "line": line not in ("-", "yes"),
                  "steps": not steps_good, "advice": bool(false),
                  "mean": "none" not in label["class"] and not open_mean and
                          (mean is None or abs(mean) > STEP_PCT),
                  "account": "none" not in label["class"] and (account is None or account > ACCOUNT_POINTS)}
        self.bad = {aspect for aspect in ASPECTS if judged[aspect]}
        verdict = report["verdict"]
        busy = f"{100 - run.shares['idle']:.1f}" if run.shares else "-"
        self.cells = (label.name, what, f"{'|'.join(label['class'])}/{'|'.join(label['cause'])}", busy,
                      f"{verdict['class']}/{verdict['cause'] or '-'}", verdict["confidence"], result, line, steps,
                      "-" if mean is None else f"{mean:+.1f}{'?' * open_mean}", "-" if account is None else f"{account:.1f}",
                      ",".join([aspect for aspect in ASPECTS if judged[aspect]] + false) or "-")


def table(rows):
    """The rows as text with aligned columns."""
    lines = [COLUMNS, *(row.cells for row in rows)]
    widths = [max(len(cells[i]) for cells in lines) for i in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in lines)


class Known:
    """Wrong answers that are known: NAME with|without|both ASPECT[?],... TEXT; ? says that it comes and goes."""

    def __init__(self, path):
        self.rows = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    name, passes, aspects, _ = line.split(None, 3)
                    for what in ("with", "without") if passes == "both" else (passes,):
                        self.rows.setdefault((name, what), set()).update(aspects.split(","))

    def problems(self, row, loaded):
        """What differs from the list. On a loaded machine only confidence, and what is timed, may fall."""
        listed = self.rows.get((row.name, row.what), set())
        expected, maybe = {name for name in listed if "?" not in name}, {name.strip("?") for name in listed}
        new = row.bad - maybe - ({"unsure", "mean", "account"} if loaded else set())
        gone = set() if loaded else expected - row.bad
        # Told unsure instead of wrong is better, but no longer what the list says; that is said by `gone`.
        yield from (f"{aspect} is bad" for aspect in sorted(new))
        yield from (f"{aspect} is now right: take it out of known.txt" for aspect in sorted(gone))
