"""Steps made slower by so much on the simulated device: does the gate on times see it, or say that it cannot?

usage: CUDASIM_TORCH=none test/cudasim/run python3 test/run/gate/times.py WORK [--rounds N] [--same N]

Runs of all kinds are recorded in turn. --same: instead so many runs of each loop as it is, and their 10th
percentiles are printed, as the trials of false alarms have them (test/unit/analyzer/gate_runs.h).
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
ANALYZER = ROOT / "build/trace-analyzer"
LOOP = ROOT / "build/cudasim/13/train_loop"
STEPS = 60
SLOWER = (0, 5, 10, 20)  # percent

# what a step of a loop has to wait for: ns of it, and the setting that makes it so many times as much
LOOPS = {
    "gpu_bound": (7.8e6, lambda times: {"CUDASIM_KERNELS": f"*conv_*={900e3 * times:.0f}ns;*={100e3 * times:.0f}ns"}),
    "sync_bound": (2.88e6, lambda times: {"CUDASIM_KERNELS": f"*conv_*={150e3 * times:.0f}ns;*={20e3 * times:.0f}ns"}),
    "launch_bound": (302 * 20e3, lambda times: {"CUDASIM_LAUNCH": f"{20e3 * times:.0f}ns"}),
}
passed = failed = 0


def tell(good, name, why=""):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    print("ok" if good else "FAIL", name, why, flush=True)


def record(folder, loop, slower_ns=0):
    """A run with steps that take so much longer: its report, as a file, and the 10th percentile of its steps."""
    waits_ns, setting = LOOPS[loop]
    extra = setting(1 + slower_ns / waits_ns)
    done = subprocess.run([LOOP, loop, str(STEPS)], capture_output=True, text=True, timeout=120, cwd=ROOT, env={
        **os.environ, **extra, "LD_PRELOAD": str(ROOT / "build/libtrace.so"), "LIBTRACE_OUT": str(folder)})
    if done.returncode != 0:
        raise RuntimeError(done.stderr[-500:])
    report = subprocess.run([ANALYZER, "report", "--format", "json", folder], capture_output=True, text=True).stdout
    path = folder.with_suffix(".json")
    path.write_text(report)
    return path, json.loads(report)["steps"]["p10_ns"]


def judge(base, runs):
    """What the gate says of the times of runs."""
    sides = [word for path in base for word in ("--baseline", str(path))]
    done = subprocess.run([ANALYZER, "check", "--times", "--format", "json", *sides, *map(str, runs)],
                          capture_output=True, text=True)
    result = json.loads(done.stdout)
    kinds = {row["kind"] for row in result["failures"]}
    return kinds, result["times"]


def trial(loop, percent, base, runs, injected):
    kinds, times = judge(base, runs)
    least = times["least_seen_pct"]
    said = f"injected {injected:.1f} %, measured {times['slower_pct']} %, p = {times['p_per_million'] / 1e6:.4f}, " \
        f"least seen {least} %: {'found' if 'time' in kinds else 'not found'}"
    if percent == 0:
        tell(kinds == set(), f"{loop}, the same again", said)
    else:
        honest = least is None or injected <= least + 0.05
        tell("count" not in kinds and ("time" in kinds or honest), f"{loop}, {percent} % slower", said)


def hold(work, loop, rounds):
    """Runs of a loop in turn with slower ones; how much that is of a step is known from some runs before."""
    step = statistics.median(record(work / f"{loop}-before-{number}", loop)[1] for number in range(3))
    sides = {side: [] for side in ("base", *SLOWER)}
    for number in range(rounds):
        for side, runs in sides.items():
            slower_ns = 0 if side == "base" else step * side / 100
            runs.append(record(work / f"{loop}-{side}-{number}", loop, slower_ns))
    base = [path for path, _ in sides["base"]]
    is_step = statistics.median(value for _, value in sides["base"])
    for percent in SLOWER:
        trial(loop, percent, base, [path for path, _ in sides[percent]], percent * step / is_step)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--same", type=int)
    asked = parser.parse_args()
    asked.work.mkdir(parents=True)
    for loop in LOOPS:
        if asked.same:
            print(loop, *(record(asked.work / f"{loop}-{number}", loop)[1] for number in range(asked.same)), flush=True)
        else:
            hold(asked.work, loop, asked.rounds)
    print(f"{passed} passed, {failed} failed")
    return failed != 0


sys.exit(main())
