# SPDX-License-Identifier: MIT
"""Run scripts one after the other, each in a process forked after one import of torch.

usage: spawn.py FOLDER SCRIPT...

Under the library, too: it starts afresh in a forked child, and the folder of the run is the same
for all, so what a script and its own children left there is moved to FOLDER/NAME/trace at its end.
FOLDER/NAME/out is what the script wrote, code how it ended and log-PID the device's log."""
import ctypes
import os
import runpy
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "cudasim", "torch")]
import forked  # noqa: E402  imports torch
import truth  # noqa: E402

SECONDS = 60


def become(folder, script):
    """In the child: its settings and its output."""
    out = os.open(os.path.join(folder, "out"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for number in (1, 2):
        os.dup2(out, number)
    os.environ.update(truth.Label(script).settings, CUDASIM_LOG=os.path.join(folder, "log-%p"))
    sys.argv = [script]


def collect(folder):
    """Moves the traces of what has ended just now; every other process of this run has ended before."""
    run = os.environ.get("LIBTRACE_OUT")
    if run and os.path.isdir(run):
        for name in os.listdir(run):
            shutil.move(os.path.join(run, name), os.path.join(folder, "trace", name))


def main():
    where, sys.dont_write_bytecode = sys.argv[1], True
    ctypes.CDLL(None).prctl(forked.PR_SET_CHILD_SUBREAPER, 1)
    for script in sys.argv[2:]:
        folder = os.path.join(where, truth.name_of(script))
        os.makedirs(os.path.join(folder, "trace"), exist_ok=True)
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            become(folder, script)
            runpy.run_path(script, run_name="__main__")
            return
        code = forked.wait_for(child, SECONDS)
        forked.end_orphans()
        collect(folder)
        with open(os.path.join(folder, "code"), "w", encoding="utf-8") as file:
            file.write(f"{child} {code}\n")


if __name__ == "__main__":
    main()
