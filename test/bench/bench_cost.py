# SPDX-License-Identifier: MIT
"""Where what recording costs goes: instructions of a step by part and thread, those with less those without.

usage: bench_cost.py LIBRARY BENCH_OPERATOR     libtrace.so, bench_operator.so: prints a table for each loop
       bench_cost.py --switched LIBRARY BENCH_OPERATOR
                                                one process, recorded and then not: prints two sums
       bench_cost.py --loops WAY BENCH_OPERATOR one of the processes, under callgrind: the loops of bench_peers.py

Counted is a number of steps after the first ones, on each thread of the process; launches take no time, or the time
would be counted that the simulated device spends waiting. The recorder's own thread wakes up by the clock, which goes
fifty times as fast under the counting: of it what belongs to records is told for each step, the rest for each turn."""
import collections
import ctypes
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile

import bench_peers

WARM = {"host-bound": 80, "gpt": 20}
COUNTED = {"host-bound": 60, "gpt": 12}
if "BENCH_LOOPS" in os.environ:
    COUNTED = {name: COUNTED[name] for name in os.environ["BENCH_LOOPS"].split(",")}
WAYS = {
    "plain": None,
    "calls": {"LIBTRACE_SOURCES": "default,-torch,-activity,-python"},
    "and lines, stacks": {"LIBTRACE_SOURCES": "default,-torch,-activity"},
    "and operators": {"LIBTRACE_SOURCES": "default,-activity", "LIBTRACE_BUDGET": "off"},
    "and device records": {"LIBTRACE_BUDGET": "off"},
    "default, no device records": {"LIBTRACE_SOURCES": "default,-activity"},
}
SWITCHED = "switched"
PARTS = (  # of what a function is, by its file or object; the first that fits
    (r"preload/sampler|drain/stacks", "stack samples"),
    (r"preload/(torch|operators|shapes)/|frameworks", "our operators"),
    (r"preload/python/", "our lines"),
    (r"preload/", "our hooks"),
    (r"collector/gpu/", "our device records"),
    (r"collector/(codec|format)/|libmsgpack", "our encoding"),
    (r"libzstd|xxhash", "zstd"),
    (r"collector/", "our rest"),
    (r"libtrace\.so", "our rest"),
    (r"libcupti", "simulated CUPTI"),
    (r"cudasim|libcuda|libcu[a-z]+\.so", "simulated driver"),
    (r"libtorch|libc10", "PyTorch"),
)


def count(library, name, step, warm):
    for _ in range(warm):
        step()
    library.bench_count(1)
    for _ in range(COUNTED[name]):
        step()
    library.bench_dump(name.encode())


def loops(way, operator):
    """Each loop is counted, and dumped under its name; switched: and once more without recording."""
    import torch

    library = ctypes.CDLL(operator)
    for name in COUNTED:
        step = bench_peers.LOOPS[name]()
        count(library, name, step, WARM[name])
        if way == SWITCHED:
            os.kill(os.getpid(), signal.SIGUSR2)
            torch._C._autograd._enable_record_function(False)
            count(library, name, step, 4)
    os._exit(0)


def part_of(file, thing):
    for pattern, part in PARTS:
        if re.search(pattern, file) or re.search(pattern, thing):
            return part
    return "others (libc, Python)"


def read(path):
    """Instructions by (file, function, object) of one thread's dump, and calls by function."""
    names, costs, calls = {}, collections.Counter(), collections.Counter()
    file = thing = function = skip = None

    def name_of(kind, text):
        number, _, name = text.partition(" ")
        if name:
            names[kind, number] = name
        return names.get((kind, number), text)

    with open(path, errors="replace") as lines:
        for line in lines:
            key, equal, value = line.rstrip("\n").partition("=")
            if equal and key in ("ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn"):
                kind = {"ob": "ob", "fn": "fn"}.get(key.lstrip("c"), "fl")
                name = name_of(kind, value)
                if key == "ob":
                    thing = name
                elif key in ("fl", "fi", "fe"):
                    file = name
                elif key == "fn":
                    function = name
                elif key == "cfn":
                    called = name
            elif equal and key == "calls":
                calls[called] += int(value.split()[0])
                skip = True
            elif line[:1] in "0123456789+-*":
                if not skip:
                    costs[file or "", function or "", thing or ""] += int(line.split()[1])
                skip = False
    return costs, calls


def thread_of(costs):
    functions = {function for _, function, _ in costs}
    files = " ".join({file for file, _, _ in costs})
    if re.search(r"drain/(drain|turn)\.c", files):
        return "recorder's thread"
    if {"deliver", "pass"} & functions:
        return "CUPTI's thread"
    return "program"


def run(way, settings, library, operator, work):
    """Where callgrind's files begin."""
    environment = dict(os.environ, CUDASIM_COMPUTE="0", CUDASIM_LAUNCH="0us", CUDASIM_KERNELS="*=0us",
                       OMP_NUM_THREADS="1", PYTHONHASHSEED="0", LIBTRACE_LOG="quiet",
                       LIBTRACE_OUT=os.path.join(work, "trace"))
    if settings is not None:
        environment.update(settings, LD_PRELOAD=library)
    out = os.path.join(work, way.replace(" ", "-"))
    subprocess.run(["valgrind", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes",
                    f"--callgrind-out-file={out}", sys.executable, __file__, "--loops", way, operator],
                   env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out


def measure(way, settings, library, operator, work):
    """By loop: instructions by (thread, part), and turns of the recorder's thread."""
    out, found = run(way, settings, library, operator, work), {}
    for number, name in enumerate(COUNTED, 1):
        sums, turns = collections.Counter(), 0
        details = collections.Counter()
        for path in glob.glob(f"{out}.{number}-*"):
            costs, calls = read(path)
            thread = thread_of(costs)
            for (file, function, thing), cost in costs.items():
                sums[thread, part_of(file, thing)] += cost
                details[thread, part_of(file, thing), function, os.path.basename(thing)] += cost
            turns += calls["turn_run"]
        found[name] = sums, turns
        if os.environ.get("BENCH_DETAILS"):
            with open(os.path.join(os.environ["BENCH_DETAILS"], f"{way.replace(' ', '-')}.{name}"), "w") as file:
                for key, cost in details.most_common():
                    print(cost // COUNTED[name], *key, sep="\t", file=file)
    return found


def switched(library, operator):
    """Instructions of a step on the program's threads, with calls, lines and operators, and with nothing."""
    with tempfile.TemporaryDirectory() as work:
        out = run(SWITCHED, dict(WAYS["and operators"], LIBTRACE_TOGGLE_SIGNAL="USR2"), library, operator, work)
        sums = [0, 0]
        for number in (1, 2):
            for path in glob.glob(f"{out}.{number}-*"):
                costs, _ = read(path)
                sums[number - 1] += sum(costs.values()) if thread_of(costs) == "program" else 0
    print(*(total // next(iter(COUNTED.values())) for total in sums))


def main(library, operator):
    with tempfile.TemporaryDirectory() as work:
        ways = {way: measure(way, settings, library, operator, work) for way, settings in WAYS.items()
                if not sys.argv[3:] or way in sys.argv[3:]}
    for name, steps in COUNTED.items():
        rows = sorted({key for found in ways.values() for key in found[name][0]})
        print(f"# {name}: instructions of a step")
        print(f"# {'':45}" + "".join(f"{way:>30}" for way in ways))
        for row in rows:
            print(f"# {row[0]:18}{row[1]:27}" +
                  "".join(f"{found[name][0][row] / steps:>30,.0f}" for found in ways.values()))
        print(f"# {'turns of the recorder in all steps':45}" + "".join(f"{found[name][1]:>30}" for found in ways.values()))


if __name__ == "__main__":
    if sys.argv[1] == "--loops":
        loops(*sys.argv[2:])
    elif sys.argv[1] == "--switched":
        switched(*sys.argv[2:])
    else:
        main(*sys.argv[1:3])
