# SPDX-License-Identifier: MIT
"""Attacks on the library and the analyzer. Each try is a program of its own; none is made twice.

usage: attack.py BUILD WORK [--short] [--list] [--seed N] [--jobs N] [--seconds N] [ATTACK...]
--seconds: of each attack as many tries, chosen by chance, as are begun in that time.
Prints a table, what did not hold, and "N passed, N failed, N skipped"."""
import argparse
import concurrent.futures
import pathlib
import sys
import time
import traceback

import frame

import cluster, ends, failing, files, foreign, frozen, limits, memory, programs, runs, soak, strange  # noqa: E401,F401 each names its attacks


def try_once(work):
    """None: it held; else what was wrong or why it was not tried."""
    try:
        return work()
    except (frame.Wrong, frame.Skip) as error:
        return error
    except Exception as error:  # what was not foreseen is wrong too
        return frame.Wrong("".join(traceback.format_exception(error))[-400:])


def run_attack(context, name, function, pool, seconds):
    begin = time.monotonic()
    tries = list(function(context))
    if seconds is not None:
        context.random.shuffle(tries)
    results = [result for result in pool.map(lambda one: (one[0], try_once(one[1])) if seconds is None or
                                             time.monotonic() < begin + seconds else None, tries) if result]
    wrong = [(title, error) for title, error in results if isinstance(error, frame.Wrong)]
    skipped = [(title, error) for title, error in results if isinstance(error, frame.Skip)]
    print(f"{name:<22} {len(results):>7} {len(results) - len(wrong) - len(skipped):>7} {len(wrong):>6} {len(skipped):>7}"
          f" {time.monotonic() - begin:>7.0f}", flush=True)
    for title, error in wrong[:8]:
        print(f"FAIL {name}, {title}: {error}", flush=True)
    for why in sorted({str(error) for _, error in skipped}):
        print(f"SKIP {name}: {why}", flush=True)
    return len(results) - len(wrong) - len(skipped), len(wrong), len(skipped)


def undocumented():
    """Attacks that docs/attack.md does not have a row of, and rows of none."""
    table = pathlib.Path("docs/attack.md").read_text().split("\n## ")[0]
    rows = {line.split("|")[1].strip() for line in table.splitlines()
            if line.startswith("| ") and not line.startswith(("| ---", "| attack "))}
    return sorted(rows ^ {name for name, _, _, _ in frame.ATTACKS})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seed", type=int, help="what is chosen by chance; the same each time with --short")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, help="no more tries of an attack are begun then")
    parser.add_argument("attacks", nargs="*")
    options = parser.parse_intermixed_args()
    chosen = [row for row in frame.ATTACKS if (not options.attacks or row[0] in options.attacks)
              and (row[2] or not options.short)]
    if options.seed is None:
        options.seed = 1 if options.short else int(time.time())
    if options.list:
        for name, what, _, _ in frame.ATTACKS:
            print(f"{name}\t{what}")
        return 0
    print(f"seed {options.seed}")
    print(f"{'attack':<22} {'tries':>7} {'held':>7} {'wrong':>6} {'skipped':>7} {'s':>7}", flush=True)
    sums = [0, 0, 0]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, (name, _, _, function) in enumerate(chosen):
            context = frame.Context(options.build.resolve(), options.work / name, options.short, options.seed + number)
            context.work.mkdir()
            for i, count in enumerate(run_attack(context, name, function, pool, options.seconds)):
                sums[i] += count
            context.drop(context.work)
    for name in undocumented():
        print(f"FAIL docs/attack.md and the attacks differ in: {name}")
        sums[1] += 1
    print("{} passed, {} failed, {} skipped".format(*sums))
    return 1 if sums[1] or not sums[0] else 0


if __name__ == "__main__":
    sys.exit(main())
