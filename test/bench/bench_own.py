# SPDX-License-Identifier: MIT
"""What libtrace says that recording takes on the program's threads, against what it takes there.

usage: bench_own.py LIBRARY ANALYZER         prints a line for each loop and each choice of sources
       bench_own.py --loop LOOP WAY          one of the processes

Measured is within one process, which takes blocks of steps in turn: with recording switched off, by the signal for
that; with calls and ranges recorded, but PyTorch told not to call back for operators on this thread; with all. That
sees a hundredth of a step where two processes differ by several. Told is what the last samples of the threads have in
the trace of a process that does one of these alone, for each of its steps. Device records are left out: most of what
they cost is CUPTI's own work on the program's thread, which nobody can tell from outside."""
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import bench_peers

BLOCK = 8    # steps
UNTIMED = 2  # before them
SECONDS = float(os.environ.get("BENCH_SECONDS", "12"))
POINTS = 2   # of a step, by which the two may differ
WAYS = ("calls", "operators")


def convolutions():
    import torch
    from torch import nn

    layers = []
    for width in (3, 8, 16):
        layers += [nn.Conv2d(width, 16 if width > 3 else 8, 3, padding=1), nn.BatchNorm2d(16 if width > 3 else 8),
                   nn.ReLU(), nn.MaxPool2d(2)]
    model = nn.Sequential(*layers, nn.Flatten(), nn.Linear(16, 10)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    images, labels = torch.randn(4, 3, 8, 8).cuda(), torch.randint(10, (4,)).cuda()

    def step():
        loss = nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
    return step


def recurrent():
    import torch
    from torch import nn

    cell, head = nn.GRUCell(16, 32).cuda(), nn.Linear(32, 1).cuda()
    optimizer = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.01)
    inputs, wanted = torch.randn(12, 8, 16).cuda(), torch.randn(8, 1).cuda()

    def step():
        state = torch.zeros(8, 32, device="cuda")
        for row in inputs:
            state = cell(row, state)
        loss = nn.functional.mse_loss(head(state), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        loss.item()
    return step


LOOPS = {**bench_peers.LOOPS, "convolutions": convolutions, "recurrent": recurrent}


def told_ns(analyzer, folder):
    """Of all threads, by their last samples."""
    last = {}
    for path, _, files in os.walk(folder):
        for name in files:
            if name.endswith(".zst"):
                dump = subprocess.run([analyzer, "dump", os.path.join(path, name)], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, errors="replace", text=True, check=False).stdout
                last.update(re.findall(r" metric=hooks_ns thread=(\d+) value=(\d+)", dump))
    return sum(map(int, last.values()))


def cycle(step, call_back):
    """Nanoseconds of a step without recording, with calls, with operators too: there and back again."""
    times = {"none": [], "calls": [], "operators": []}
    is_on = True
    for way in ("none", "calls", "operators", "operators", "calls", "none"):
        if is_on != (way != "none"):
            is_on = not is_on
            os.kill(os.getpid(), signal.SIGUSR2)
        call_back(way == "operators")
        for _ in range(UNTIMED):
            step()
        begin = time.perf_counter_ns()
        for _ in range(BLOCK):
            step()
        times[way].append((time.perf_counter_ns() - begin) / BLOCK)
    os.kill(os.getpid(), signal.SIGUSR2)
    return [sum(each) / len(each) for each in times.values()]


def loop(name, way):
    import torch

    step = LOOPS[name]()
    call_back = torch._C._autograd._enable_record_function
    call_back(way != "calls")
    made = 50
    for _ in range(made):
        step()
    bench_peers.pin(bench_peers.idlest())
    until, times = time.monotonic() + SECONDS * (1 if way == "measure" else 0.4), []
    while time.monotonic() < until:
        if way == "measure":
            print(*cycle(step, call_back))
        else:
            begin = time.perf_counter_ns()
            step()
            times.append(time.perf_counter_ns() - begin)
    if way != "measure":
        print(made + len(times), statistics.median(times))
    time.sleep(0.3)  # the last samples are taken
    sys.stdout.flush()
    os._exit(0)


def run(name, way, library, work):
    """Lines of numbers."""
    environment = dict(os.environ, CUDASIM_COMPUTE="0", CUDASIM_LAUNCH="3us", CUDASIM_KERNELS="*=0us",
                       OMP_NUM_THREADS="1", PYTHONHASHSEED="0", LD_PRELOAD=library, LIBTRACE_LOG="quiet",
                       LIBTRACE_OUT=os.path.join(work, f"{name}-{way}"), LIBTRACE_SOURCES="default,-activity", LIBTRACE_BUDGET="off")
    if way == "measure":
        environment["LIBTRACE_TOGGLE_SIGNAL"] = "USR2"
    said = subprocess.run([sys.executable, __file__, "--loop", name, way], env=environment, check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [[float(number) for number in line.split()] for line in said.splitlines()]


def main(library, analyzer):
    work = tempfile.mkdtemp()
    try:
        for name in LOOPS:
            cycles = run(name, "measure", library, work)
            plain = statistics.median(none for none, _, _ in cycles)
            for way, column in zip(WAYS, (1, 2)):
                added = [times[column] - times[0] for times in cycles]
                is_, doubt = (100 * value(added) / plain for value in (bench_peers.middle, bench_peers.doubt))
                (steps, step), = run(name, way, library, work)
                told = told_ns(analyzer, os.path.join(work, f"{name}-{way}")) / steps
                says = 100 * told / (step - told)
                off = abs(says - is_)
                result = "ok" if off <= POINTS else "NOISY" if off <= POINTS + doubt else "FAIL"
                print(f"# {name}, {way}: says {says:.1f} % of a step, is {is_:.1f} % (two standard errors {doubt:.1f})")
                print(f"W1 own_cost_{name}_{way} {off:.1f} points limit 0 gate {POINTS} goal 1 {result}", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1] == "--loop":
        loop(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
