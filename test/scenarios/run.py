# SPDX-License-Identifier: MIT
"""Run the scenarios and compare the analyzer's reports with what is true; see README.md.

usage: run.py [--short | --loaded] [--verify-labels] [--pass with|without] [--keep FOLDER [--again]] [--repeat N]
              [NAME...]"""
import argparse
import concurrent.futures
import contextlib
import glob
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import judge
import truth

HERE = os.path.dirname(os.path.abspath(__file__))
BURN = 'exec 2>/dev/null; while kill -0 "$PPID"; do :; done'  # as long as this process is there
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("BUILD", os.path.join(ROOT, "build"))
SIMULATED = os.path.join(ROOT, "test", "cudasim", "run")
TRIES = 3
SECONDS = 60
OTHERS_MOST = 0.5  # processors that others may use of a machine that is called quiet


def traced(what, out):
    """The environment of a pass: plain, with or without records of the device."""
    if what == "plain":
        return {}
    sources = "default" if what == "with" else "default,-activity"
    return {"LD_PRELOAD": os.path.join(BUILD, "libtrace.so"), "LIBTRACE_LOG": "quiet", "LIBTRACE_SOURCES": sources,
            "LIBTRACE_TOGGLE_SIGNAL": "USR1", "LIBTRACE_OUT": out}


def command(environment, *words):
    """On the simulated device; the library is loaded into the command alone, not into what starts it.

    One thread for CPU operators: several spin for each other where processors are scarce."""
    environment = dict(environment, OMP_NUM_THREADS="1")
    return [SIMULATED, "env", *(f"{name}={value}" for name, value in environment.items()), *words]


def run_scripts(what, work, labels):
    environment = traced(what, os.path.join(work, "recording"))
    subprocess.run(command(environment, "python3", os.path.join(HERE, "spawn.py"), work,
                           *(label.script for label in labels)), timeout=120 + SECONDS * len(labels), check=False)


def run_program(what, work, label):
    """A C program needs no fork to be quick."""
    folder = os.path.join(work, label.name)
    os.makedirs(folder, exist_ok=True)
    environment = dict(label.settings, CUDASIM_LOG=os.path.join(folder, "log-%p"))
    environment.update(traced(what, os.path.join(folder, "trace")))
    with open(os.path.join(folder, "out"), "w", encoding="utf-8") as out:
        words = command(environment, os.path.join(BUILD, "scenarios", label.name))
        with subprocess.Popen(words, stdout=out, stderr=out, env=dict(os.environ, CUDASIM_CUDA="13")) as process:
            try:
                code = process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                code = 124
    with open(os.path.join(folder, "code"), "w", encoding="utf-8") as file:
        file.write(f"{process.pid} {code}\n")


def run_pass(what, work, labels):
    """Runs all, those again that failed or did not do what their label says; all that was read."""
    left, found = labels, {}
    for _ in range(TRIES):
        for label in left:
            shutil.rmtree(os.path.join(work, label.name), ignore_errors=True)
            if label.script.endswith(".c"):
                run_program(what, work, label)
        scripts = [label for label in left if label.script.endswith(".py")]
        if scripts:
            run_scripts(what, work, scripts)
        found.update(read(work, left))
        left = [label for label in left if found[label][1]]
        if not left:
            break
    return found


def read(work, labels):
    """Of each label its run, None if that did not work, and where that does not bear the label out."""
    return {label: read_one(os.path.join(work, label.name), label) for label in labels}


def read_one(folder, label):
    try:
        run = truth.load(folder, label)
        return run, [*label.problems(), *truth.contradictions(label, run)]
    except (OSError, ValueError) as error:
        return None, [str(error)]


def report_of(folder):
    done = subprocess.run([os.path.join(BUILD, "trace-analyzer"), "report", "--format", "json",
                           os.path.join(folder, "trace")], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        raise ValueError(f"no report: {done.stderr.strip()[:200]}") from None


class Tally:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0

    def add(self, what, problems):
        self.passed += not problems
        self.failed += bool(problems)
        for problem in problems:
            print(f"not ok {what}: {problem}")


def verify_labels(work, labels, repeat, tally):
    for number in range(repeat):
        for label, (run, problems) in run_pass("plain", os.path.join(work, f"plain{number}"), labels).items():
            tally.add(label.name, problems)
            if not problems:
                print(figures(label, run))


def figures(label, run):
    shares = ", ".join(f"{name} {share:.1f} %" for name, share in sorted(run.shares.items()))
    step = "" if run.step_ns is None else f" of {run.step_ns / 1e6:.2f} ms"
    return f"ok {label.name}: {run.steps} steps{step}, {shares}, host ahead {run.lag_ns / 1e6:.1f} ms"


def judge_pass(what, work, found, known, loaded, tally):
    """The rows of one pass; those that did not do what their label says are skipped, on a loaded machine."""
    rows = []
    for label, (run, problems) in found.items():
        if problems:
            print(f"void {label.name} {what}: {'; '.join(problems)}")
            tally.skipped += loaded
            tally.failed += not loaded
            continue
        try:
            row = judge.Row(label, what, run, report_of(os.path.join(work, label.name)))
        except ValueError as error:
            tally.add(f"{label.name} {what}", [str(error)])
            continue
        rows.append(row)
        tally.add(f"{label.name} {what}", list(known.problems(row, loaded)))
    return rows


@contextlib.contextmanager
def load(wanted):
    """As many busy processes as there are processors."""
    burners = [subprocess.Popen(["sh", "-c", BURN]) for _ in range(wanted * os.cpu_count())]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


class Others:
    """What processes other than those of this run have used of the machine's processors."""

    def __init__(self):
        self.began, self.before = time.monotonic(), self.seconds()

    @staticmethod
    def seconds():
        with open("/proc/stat", encoding="ascii") as file:
            user, nice, system, _, _, irq, softirq, *_ = map(int, file.readline().split()[1:])
        spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK") - sum(
            usage.ru_utime + usage.ru_stime for usage in spent)

    def processors(self):
        return (self.seconds() - self.before) / (time.monotonic() - self.began)


def judge_passes(work, chosen, known, loaded, again, tally):
    """Runs and judges what is chosen for each pass. Where the machine is loaded anyway, both passes run at once."""
    folders, others = {what: os.path.join(work, what) for what in chosen}, Others()
    with load(loaded and not again), concurrent.futures.ThreadPoolExecutor(1 + loaded) as pool:
        found = {what: pool.submit(read, folders[what], labels) if again else
                 pool.submit(run_pass, what, folders[what], labels) for what, labels in chosen.items()}
    if not again and not loaded and others.processors() > OTHERS_MOST:
        print(f"others used {others.processors():.1f} processors meanwhile: judged as on a loaded machine")
        loaded = True
    rows = {what: judge_pass(what, folders[what], found[what].result(), known, loaded, tally) for what in chosen}
    print(judge.table([row for what in chosen for row in rows[what]]))
    print("\n".join(summary(what, rows[what]) for what in chosen))


def summary(what, rows):
    count = {result: sum(row.result == result for row in rows) for result in ("right", "unsure", "wrong")}
    lined = [row for row in rows if row.line != "-"]
    missing = sum(row.line != "yes" for row in lined)
    return (f"{what} CUPTI: {len(rows)} judged: {count['right']} right, {count['unsure']} unsure, "
            f"{count['wrong']} confidently wrong; line missing in {missing} of {len(lined)}; off: "
            + ", ".join(f"{aspect} {sum(aspect in row.bad for row in rows)}" for aspect in judge.ASPECTS[3:])
            + f"; mean said to be uncertain: {sum(row.open_mean for row in rows)}")


def choose(names):
    scripts = sorted(glob.glob(os.path.join(HERE, "torch", "*.py")) + glob.glob(os.path.join(HERE, "c", "*.c")))
    labels = [truth.Label(script) for script in scripts]
    unknown = set(names) - {label.name for label in labels}
    if unknown:
        sys.exit(f"no scenario {', '.join(sorted(unknown))}")
    return [label for label in labels if not names or label.name in names]


def read_short(labels):
    """What the short run consists of: whether the machine is loaded, pass, label."""
    known, rows = {label.name: label for label in labels}, []
    with open(os.path.join(HERE, "short.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, passes, machine = line.split()
                rows += [(machine == "loaded", what, known[name])
                         for what in (("with", "without") if passes == "both" else (passes,))]
    return rows


def uncovered(labels, rows):
    """Classes and rules of labels of which none is in the short run."""
    chosen = {label.name: label for _, _, label in rows}.values()
    classes, rules = ({value for label in chosen for value in label[key]} for key in ("class", "rule"))
    yield from sorted({value for label in labels for value in label["class"]} - classes)
    yield from sorted({"|".join(label["rule"]) for label in labels if label["rule"] and not rules & set(label["rule"])})


def judge_short(work, labels, known, again, tally):
    rows = read_short(labels)
    tally.add("short.txt", [f"{what} is not in the short run" for what in uncovered(labels, rows)])
    for loaded in (False, True):
        chosen = {what: [label for busy, where, label in rows if (busy, where) == (loaded, what)]
                  for what in ("with", "without")}
        print(f"{'loaded' if loaded else 'quiet'} machine")
        judge_passes(os.path.join(work, "loaded" if loaded else "quiet"), chosen, known, loaded, again, tally)


def parse():
    parser = argparse.ArgumentParser(description="Run the scenarios.")
    parser.add_argument("--short", action="store_true", help="what short.txt chooses")
    parser.add_argument("--loaded", action="store_true", help="beside as many busy processes as there are processors")
    parser.add_argument("--verify-labels", action="store_true", help="only check the labels by the device's log")
    parser.add_argument("--pass", dest="passes", action="append", choices=("with", "without"))
    parser.add_argument("--keep", help="leave logs, traces and outputs in this folder")
    parser.add_argument("--again", action="store_true", help="run nothing, judge anew what --keep has left")
    parser.add_argument("--repeat", type=int, default=1, help="how often labels are checked")
    parser.add_argument("names", nargs="*")
    return parser.parse_args()


def main():
    options, tally = parse(), Tally()
    labels, known = choose(options.names), judge.Known(os.path.join(HERE, "known.txt"))
    work = options.keep or tempfile.mkdtemp(prefix="scenarios-")
    try:
        if options.verify_labels:
            with load(options.loaded):
                verify_labels(work, labels, options.repeat, tally)
        elif options.short:
            judge_short(work, labels, known, options.again, tally)
        else:
            chosen = {what: labels for what in options.passes or ["with", "without"]}
            judge_passes(work, chosen, known, options.loaded, options.again, tally)
    finally:
        if not options.keep:
            shutil.rmtree(work, ignore_errors=True)
    print(f"{tally.passed} passed, {tally.failed} failed, {tally.skipped} skipped")
    sys.exit(tally.failed != 0)


if __name__ == "__main__":
    main()
