# SPDX-License-Identifier: MIT
"""Compare what a report promises of a mended loop with the mended loop; see README.md.

usage: run.py [--repeat N] [--keep FOLDER [--again]] [NAME...]"""
import argparse
import glob
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCENARIOS = os.path.join(HERE, "..", "scenarios")
sys.path.insert(0, SCENARIOS)
import run as scenarios  # noqa: E402
import truth  # noqa: E402

MEDIAN_PCT, PROMISE_POINTS, STEP_PCT = 3.0, 10.0, 1.0
ARTICLE = os.path.join(HERE, "article.py")
COLUMNS = ("pair", "step ms", "predicted ms", "measured ms", "off %", "promised %", "gained %", "")


def record(work, which, scripts, repeat):
    """Runs the scripts in one of their forms."""
    for number in range(repeat):
        record_once(os.path.join(work, str(number)), which, scripts)


def record_once(work, which, scripts):
    environment = dict(scenarios.traced("with", os.path.join(work, "recording")), PAIR=which)
    words = scenarios.command(environment, "python3", os.path.join(SCENARIOS, "spawn.py"), work, *scripts)
    subprocess.run(words, timeout=120 + scenarios.SECONDS * len(scripts), check=False)


def load(work, label):
    """The run that other processes of the machine disturbed least, which is the shortest, and its report."""
    runs = [(truth.load(folder, label), folder) for folder in glob.glob(os.path.join(work, "*", label.name))]
    if not runs:
        raise ValueError("did not run")
    best, folder = min(runs, key=lambda found: found[0].step_ns)
    return best, scenarios.report_of(folder)


def predicted_ns(label, report):
    """What the report says a step would take without the marked line's waiting; None without such a finding."""
    if label.values.get("predict") == "all":
        return report["steps"]["predicted_ns"]
    found = [finding["predicted_step_ns"] for finding in report["findings"] if finding["rule"] in label["rule"]
             and (finding["line"] in label.lines or not label.lines) and finding["predicted_step_ns"]]
    return found[0] if found else None


class Pair:
    def __init__(self, label, bad, report, mended):
        self.name = label.name
        self.before, self.after = bad.step_ns, mended.step_ns
        self.predicted = predicted_ns(label, report)
        if self.predicted is not None:
            self.off = 100 * (self.predicted - self.after) / self.after
            self.promised = 100 * (1 - self.predicted / self.before)
        self.gained = 100 * (1 - self.after / self.before)

    def problem(self):
        if self.predicted is None:
            return "no finding at the line"
        if self.promised > self.gained + PROMISE_POINTS:
            return f"promises {self.promised - self.gained:.1f} points more than it gives"
        return ""

    def cells(self):
        def number(value, scale=1.0, form="{:.2f}"):
            return "-" if value is None else form.format(value / scale)
        known = self.predicted is not None
        return (self.name, number(self.before, 1e6), number(self.predicted, 1e6), number(self.after, 1e6),
                number(self.off if known else None, form="{:+.1f}"), number(self.promised if known else None, form="{:.1f}"),
                number(self.gained, form="{:.1f}"), self.problem())


def table(rows):
    widths = [max(len(cells[i]) for cells in rows) for i in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip() for cells in rows)


def judge_pairs(work, labels):
    """The failures of all pairs, which are printed as a table."""
    pairs, failures = [], []
    for label in labels:
        try:
            bad, report = load(os.path.join(work, "bad"), label)
            pairs.append(Pair(label, bad, report, load(os.path.join(work, "mended"), label)[0]))
        except (OSError, ValueError) as error:
            failures.append(f"{label.name}: {error}")
    if not pairs:
        return failures
    print(table([COLUMNS, *(pair.cells() for pair in pairs)]))
    failures += [f"{pair.name}: {pair.problem()}" for pair in pairs if pair.problem()]
    median = statistics.median(abs(pair.off) for pair in pairs if pair.predicted is not None)
    print(f"median error {median:.1f} % of {len(pairs)} pairs (limit {MEDIAN_PCT:g} %)")
    if median > MEDIAN_PCT:
        failures.append(f"median error {median:.1f} %")
    return failures


def gains(report):
    """Rule and gain of the findings that promise something, as the report lists them."""
    return [(finding["rule"], finding["gain_pct"]) for finding in report["findings"] if finding["gain_pct"]
            and finding["gain_pct"] >= 5]


# Per stage: the class of the verdict, and what the findings have to begin with.
STAGES = {"1": (("cpu", "io", "mixed"), ["sync-scalar-read", "input-bound"]), "2": (("io",), ["input-bound"]),
          "3": (("gpu",), [])}


def judge_stage(work, stage):
    run, report = load(os.path.join(work, f"stage{stage}"), truth.Label(ARTICLE))
    classes, rules = STAGES[stage]
    told, found = report["steps"]["mean_ns"], gains(report)
    print(f"article, stage {stage}: {run.step_ns / 1e6:.2f} ms, report {told / 1e6:.2f} ms, {report['verdict']['class']}"
          f", {', '.join(f'{rule} {gain:.1f} %' for rule, gain in found) or 'no finding'}")
    if abs(told - run.step_ns) > run.step_ns * STEP_PCT / 100:
        yield f"the step is off by {100 * (told / run.step_ns - 1):.1f} %"
    if report["verdict"]["class"] not in classes:
        yield f"class {report['verdict']['class']}"
    if [rule for rule, _ in found if rule in ("sync-scalar-read", "input-bound")] != rules:
        yield f"findings are not {rules}"
    if [gain for _, gain in found] != sorted((gain for _, gain in found), reverse=True):
        yield "findings are not in the order of their gains"


def judge_article(work):
    failures = []
    for stage in STAGES:
        try:
            failures += [f"article, stage {stage}: {problem}" for problem in judge_stage(work, stage)]
        except (OSError, ValueError) as error:
            failures.append(f"article, stage {stage}: {error}")
    return failures


def parse():
    parser = argparse.ArgumentParser(description="Run the pairs.")
    parser.add_argument("--keep", help="leave logs, traces and outputs in this folder")
    parser.add_argument("--again", action="store_true", help="run nothing, judge anew what --keep has left")
    parser.add_argument("--repeat", type=int, default=3, help="of so many runs the shortest counts")
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def main():
    options = parse()
    labels = [truth.Label(script) for script in sorted(glob.glob(os.path.join(HERE, "loops", "*.py")))]
    labels = [label for label in labels if not options.names or label.name in options.names]
    article = not options.names or "article" in options.names
    work = options.keep or tempfile.mkdtemp(prefix="pairs-")
    if not options.again:
        for which in ("bad", "mended") if labels else ():
            record(os.path.join(work, which), which, [label.script for label in labels], options.repeat)
        for stage in STAGES if article else ():
            record(os.path.join(work, f"stage{stage}"), stage, [ARTICLE], options.repeat)
    failures = (judge_pairs(work, labels) if labels else []) + (judge_article(work) if article else [])
    if not options.keep:
        shutil.rmtree(work, ignore_errors=True)
    for failure in failures:
        print(f"not ok {failure}")
    checked = len(labels) + len(STAGES) * article + bool(labels)
    print(f"{max(0, checked - len(failures))} passed, {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
