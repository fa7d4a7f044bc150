"""Allocations that fail, one at a time or all from one on: what is printed is all of it, or it is exit
status 4 and a line that says so. TRIES of each command, spread over its allocations; 0: all of them."""
import os
import subprocess

FAILING = os.path.abspath("failing.so")
TRIES = int(os.environ.get("TRIES", "16"))
one, two = os.environ["TRACES"] + "/training.msgpack.zst", os.environ["TRACES"] + "/tables.msgpack.zst"
COMMANDS = [("report", one), ("report", "--tables", two), ("report", "--format", "json", two),
            ("report", "--format", "csv", "--tables=kernels", two), ("report", "--format", "html", "-o", "-", one),
            ("export", "-q", two), ("export", "-q", "--format", "perfetto", one),
            ("export", "-q", "--format", "folded", one), ("export", "-q", "--format", "sqlite", "-o", "x.db", one),
            ("dump", one), ("compare", one, one), ("check", one, "--write-baseline", "base")]


def run(command, **variables):
    return subprocess.run(["trace-analyzer", *command], capture_output=True, timeout=50,
                          env={**os.environ, "LD_PRELOAD": FAILING, **variables})


wrong = 0
for command in COMMANDS:
    whole = run(command, FAIL_COUNT="count")
    count = int(open("count").read())
    tried = range(1, count + 1) if TRIES == 0 else sorted({1 + i * count // TRIES for i in range(TRIES)})
    for number in tried:
        for more in ({}, {"FAIL_EVER": "1"}) if TRIES == 0 else ({"FAIL_EVER": "1"} if number % 2 else {},):
            done = run(command, FAIL_AT=str(number), **more)
            said = done.returncode == 4 and b"memory" in done.stderr and done.stderr.count(b"\n") <= 3
            # the dynamic loader ends a process that has no memory for a library itself, and says so
            said = said or (done.returncode == 127 and done.stderr == b"out of memory\n")
            if not said and (done.returncode, done.stdout) != (whole.returncode, whole.stdout):
                wrong += 1
                print(command[0], command[-2:], number, more, done.returncode, done.stderr[:100])
print(len(COMMANDS), "commands,", wrong, "wrong")
