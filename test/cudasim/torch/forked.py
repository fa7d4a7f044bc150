# SPDX-License-Identifier: MIT
"""Run scripts, each in a process of its own that is forked after torch was imported once.

usage: forked.py FOLDER SCRIPT=SECONDS...

Importing torch, and what an optimizer imports at its first step, takes longer than most scripts do.
Nothing of CUDA is used before the fork, so a script finds the device untouched. NAME.out, NAME.err
and NAME.code in FOLDER are what the script NAME wrote and how it ended (124: it ran longer than
SECONDS). What a script leaves behind is ended, and told in NAME.out: processes, and files in
which ranks meet."""
import ctypes
import os
import runpy
import signal
import sys
import time

# The CPU's part is small; threads that spin for each other take minutes of it on a busy machine.
os.environ["OMP_NUM_THREADS"] = "1"

import torch
import torch._dynamo  # noqa: F401  by an optimizer's first step

MEETING = "cudasim-"
PR_SET_CHILD_SUBREAPER = 36


def children():
    """Processes whose parent is this one, by now."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                parent = file.read().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if int(parent) == os.getpid():
            found.append(int(pid))
    return found


def end_orphans():
    """Ends what became ours because its parent has ended, and what becomes so by that; how many."""
    count, left = 0, children()
    while left:
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            count += os.WIFSIGNALED(os.waitpid(pid, 0)[1])  # not those that had ended before
        left = children()
    return count


def meetings():
    return {name for name in os.listdir("/dev/shm") if name.startswith(MEETING)}


def become(folder, script):
    """In the child: its output and log. Running the script is left to main."""
    name = os.path.join(folder, os.path.basename(script).removesuffix(".py"))
    for number, suffix in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{name}.{suffix}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    os.environ["CUDASIM_LOG"] = name + ".log"
    sys.argv = [script]


def wait_for(child, seconds):
    """Exit status of the child; 124 when it had to be ended."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return 124


def finish(folder, script, code, before):
    """Ends what is left, and says so."""
    left = end_orphans()
    files = sorted(meetings() - before)
    for file in files:
        os.unlink(os.path.join("/dev/shm", file))
    name = os.path.join(folder, os.path.basename(script).removesuffix(".py"))
    if os.path.exists(name + ".log"):
        os.unlink(name + ".log")
    with open(name + ".out", "a", encoding="utf-8") as out:
        if code == 124:
            out.write("not ok: ran out of time\n")
        if left or files:
            out.write(f"not ok: {left} processes and {len(files)} files were left behind\n")
    with open(name + ".code", "w", encoding="utf-8") as out:
        out.write(f"{code or 2 * bool(left or files)}\n")


def main():
    folder, sys.dont_write_bytecode = sys.argv[1], True
    assert not torch.cuda.is_initialized()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    for script, seconds in (argument.rsplit("=", 1) for argument in sys.argv[2:]):
        before = meetings()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            become(folder, script)
            runpy.run_path(script, run_name="__main__")
            return
        finish(folder, script, wait_for(child, float(seconds)), before)


if __name__ == "__main__":
    main()
