"""Records train.py on the simulated device, with and without mistakes, and holds the runs against a baseline.

usage: gate.py WORK [--all] [--pairs N] [--times] [--programs]
"""
import argparse
import concurrent.futures
import os
import pathlib
import sys

import holding
import mistakes

ROOT = holding.ROOT
TRAIN = ROOT / "test/run/gate/train.py"


def record(folder, text):
    """Record a script of that text in a folder of its own; the folder."""
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(text)
    holding.record(folder, [ROOT / "test/cudasim/run", "env", "LD_PRELOAD=build/libtrace.so",
                            f"LIBTRACE_OUT={folder}/run", "python3", folder / "train.py"], cwd=ROOT)
    return folder


def with_mistake(mistake):
    _, where, line, text, _ = mistake
    return holding.put(TRAIN.read_text(), line, where, text)


def pairs(work, count, pool, script):
    """Recordings of one script: no count of any is another one's."""
    runs = list(pool.map(lambda number: record(work / f"pair{number}", script), range(count + 1)))
    first = runs[0] / "baseline"
    holding.tell(holding.check(runs[0], "--write-baseline", first)[0] == 0, "a baseline is written")
    for number, run in enumerate(runs[1:], 1):
        holding.hold_same(run, first, f"the same script again, {number}")
    return first


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--pairs", type=int, default=1)
    for name in ("--times", "--programs"):
        parser.add_argument(name, action="store_true", help="for the script that calls this one")
    asked = parser.parse_args()
    os.environ.setdefault("CUDASIM_KERNELS", "*=20us")
    wanted = [one for one in mistakes.MISTAKES if asked.all or one[0] in mistakes.QUICK]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        baseline = pairs(asked.work, asked.pairs, pool, TRAIN.read_text())
        folders = list(pool.map(lambda one: record(asked.work / one[0], with_mistake(one)), wanted))
    for mistake, folder in zip(wanted, folders):
        holding.hold_mistake(folder, "train.py", baseline, mistake[0], mistake[4])
    print(f"{holding.passed} passed, {holding.failed} failed")
    return holding.failed != 0


sys.exit(main())
