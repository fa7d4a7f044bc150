# SPDX-License-Identifier: MIT
"""Runs every shape of call, also generated and hostile ones; prints counts and differences."""
import ctypes
import functools
import gc
import importlib.util
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

import oracle as oracle_module
import shapes


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def generated_source(seed):
    """Calls hundreds of lines apart, and calls whose arguments lie above and below them."""
    rng = random.Random(seed)
    lines = ["def build(take):", "    made = []"]
    for number in range(20):
        lines += ["    def f%d():" % number, "        x = 0"]
        for _ in range(rng.randrange(1, 6)):
            gap = rng.choice([0, 1, 3, 126, 127, 128, 129, 254, 255, 256, 300, 600])
            lines += [""] * gap
            lines.append(rng.choice([
                "        take()",
                "        y = (take()," + "\n" * gap + "             take())",
                "        take(x," + "\n" * rng.randrange(1, 140) + "             take() or x)",
                "        y = [take() for _ in range(2)" + "\n" * gap + "             if not take()]",
                "        " + "x = x + 1; " * rng.randrange(1, 90) + "take()",
                "        for x in range(2):\n            take()\n            x = x",
            ]))
        lines.append("    made.append(f%d)" % number)
    lines.append("    return made")
    return "\n".join(lines) + "\n"


def run_generated(take, folder, total):
    for seed in range(total):
        path = os.path.join(folder, "generated%d.py" % seed)
        with open(path, "w", encoding="utf-8") as file:
            file.write(generated_source(seed))
        for function in load(path, "generated%d" % seed).build(take):
            function()


SMALL = "def call(function, *args):\n    return function(*args)\n\ndef deep(function, n):\n" \
        "    return deep(function, n - 1) if n else function()\n"


def run_files(take, folder):
    """Installed packages above, below and between the user's frames; file names of every width."""
    inner = []
    for name in ("site-packages/lib", "dist-packages/lib", "lib/python3.9/lib", "mylib/ß", "наука",
                 "模型", "\U0001f600"):
        path = os.path.join(folder, name + ".py")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(SMALL)
        inner.append(load(path, "small"))
    for module in inner:
        module.call(take)
        module.call(lambda: take())
        module.call(
            module.call,
            take)
        for depth in (1, 5, 40):
            module.deep(take, depth)
    for a in inner:
        for b in inner:
            a.call(b.call, take)
            a.call(lambda: b.call(take))


WAYS = "def way0(take):\n    take()\n    take()\n\n" + "".join(
    "def way%d(take):\n    way%d(take)\n    way%d(take)\n\n" % (n, n - 1, n - 1) for n in range(1, 5))


def run_ways(take, folder):
    """The same inner frames from other outer lines, in turn, at random, and from code that dies under them."""
    path = os.path.join(folder, "site-packages", "ways.py")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(WAYS)
    ways = load(path, "ways")
    calls = [lambda: ways.way1(take), lambda: ways.way1(take), lambda: ways.way3(take),
             lambda: ways.way4(functools.partial(ways.way2, take)), lambda: ways.way2(lambda: take()), take]
    for _ in range(3):
        for call in calls:
            call()
    for choice in random.Random(7).choices(calls, k=400):
        choice()
    for number in range(1000):
        space = {"take": take, "ways": ways}
        source = "\ndef f%d():\n ways.way1(take)\nf%d()\n" % (number % 10, number % 10)
        ways.way0(functools.partial(exec, compile(source, "remade%03d.py" % number, "exec"), space))
        del space
    thread = threading.Thread(target=ways.way2, args=(take,))
    thread.start()
    thread.join()


def run_reuse(take):
    """Code objects that die and whose addresses come back with other lines and names."""
    for number in range(2000):
        space = {"take": take}
        source = "\ndef f%d():\n take()\nf%d()\n" % (number, number)
        exec(compile(source, "reuse%d.py" % number, "exec"), space)
        del space
        if number % 50 == 0:
            gc.collect()


def stress(probe, seconds):
    """Threads that hog the GIL while others read without it; returns (reads, wrong)."""
    stop = time.monotonic() + seconds
    counts = []

    def hog():
        x = 0
        while time.monotonic() < stop:
            for i in range(1000):
                x = x * 3 + i & 0xffff

    def one():
        return probe.released.probe_repeat(200)

    def two(n):
        return two(n - 1) if n else probe.released.probe_repeat(50)

    def read():
        wrong = rounds = 0
        first, second = one(), two(9)
        while time.monotonic() < stop:
            wrong += one() != first or one() == 0
            wrong += two(9) != second or second == 0
            rounds += 1
        counts.append((rounds * 450, wrong))
    threads = [threading.Thread(target=f) for f in (hog, hog, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(c[0] for c in counts), sum(c[1] for c in counts)


def run_child(probe):
    """A forked child reads its own frames from its first instruction on."""
    if not hasattr(os, "fork"):
        return
    child = os.fork()
    if child == 0:
        os._exit(0 if probe.released.probe_repeat(100) != 0 else 1)
    if os.waitpid(child, 0)[1] != 0:
        probe.wrong.append("a forked child did not find its place")


def numbered(a, number, b, count, then, kept=None):
    held = [a, b, kept]
    return then(), (lambda: held)


def run_numbers(probe):
    """What a function further out was called with: small numbers, and nothing else."""
    def ask(name=b"numbered", depth=0):
        if depth > 0:
            return ask(name, depth - 1)
        numbers = (ctypes.c_uint32 * 2)()
        return (numbers[0], numbers[1]) if probe.released.probe_numbers(name, numbers) else None

    for number, count in ((0, 1), (3, 5), (255, 256), (257, 70000), (0, 2 ** 30 - 1)):
        for depth in (0, 1, 20):
            got = numbered("x", number, None, count, lambda: ask(depth=depth))[0]
            if got != (number, count):
                probe.wrong.append("numbers %d, %d: %r" % (number, count, got))
    for number, count in ((-1, 5), (3, 2 ** 30), (1.0, 5), ("1", 5), (True, 5), (None, None), (3, -2 ** 40)):
        got = numbered("x", number, None, count, ask)[0]
        if got is not None:
            probe.wrong.append("numbers %r, %r: %r" % (number, count, got))
    if ask() is not None or numbered(0, 1, 2, 3, lambda: ask(b"other"))[0] is not None:
        probe.wrong.append("numbers of a function that does not run")
    runs = [probe.released.probe_runs(name) for name in (b"run_numbers", b"<listcomp>", b"main", b"no")]
    if runs != [0, 1, 0, 0] and runs != [1, 0, 0, 0]:  # since 3.12 a list is made in the function itself
        probe.wrong.append("innermost function of the file: %r" % runs)


def main():
    probe = oracle_module.Oracle(sys.argv[1])
    if not probe.state().startswith("python active"):
        print("state: " + probe.state())
        return 1
    folder = tempfile.mkdtemp(prefix="libtrace-python-")

    for take in probe.takes():
        for _ in range(3):
            for _, function in shapes.shapes(take):
                function()
            gc.collect()
        run_files(take, folder)
        run_ways(take, folder)
        run_generated(take, folder, 8)
        run_reuse(take)
    run_child(probe)
    run_numbers(probe)
    subprocess.call(["rm", "-rf", folder])
    reads, wrong = stress(probe, 1.0)
    cost = probe.released.probe_cost_ns(200000)
    print("state: " + probe.state())
    print("places: %d right, %d wrong" % (probe.good, len(probe.wrong)))
    for line in probe.wrong[:8]:
        print("  " + line)
    print("stress: %d reads, %d wrong; %.0f ns each in the loop" % (reads, wrong, cost))
    good = not probe.wrong and not wrong and probe.good > 2000 and reads > 0
    return 0 if good and "active" in probe.state() else 1


if __name__ == "__main__":
    sys.exit(main())
