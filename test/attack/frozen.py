# SPDX-License-Identifier: MIT
"""A file system that stands still under the trace: no call of the program waits for it, and all are accounted for."""
import contextlib
import functools
import os
import signal
import subprocess
import time

from ends import all_there
from frame import Skip, Wrong, attack, counted, hold

FROZEN_S = 3
ENDS = {"goes on": (-signal.SIGTERM, b""), "SIGKILL": (-signal.SIGKILL, b""), "return": (3, b"faults 0\n")}
STALL_S = 1  # far less than that, and far more than a machine with other work takes for a turn


@contextlib.contextmanager
def disk(folder):
    """A file system of its own."""
    image, point = folder / "image", folder / "disk"
    point.mkdir()
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    for command in (["mkfs.ext4", "-q", image], ["mount", "-o", "loop", image, point]):
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Skip("no file system can be made and mounted here") from error
    try:
        yield point
    finally:
        subprocess.run(["umount", point], check=True, capture_output=True)


@contextlib.contextmanager
def frozen(point):
    try:
        subprocess.run(["fsfreeze", "-f", point], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise Skip("no file system can be frozen here") from error
    try:
        yield
    finally:
        subprocess.run(["fsfreeze", "-u", point], check=True, capture_output=True)


def longest_stall(counts, seconds):
    """Between two calls that were done."""
    begin = last_s = time.monotonic()
    last, longest = counted(counts)[1], 0
    while time.monotonic() < begin + seconds:
        time.sleep(0.005)
        now, done = time.monotonic(), counted(counts)[1]
        longest = max(longest, now - last_s)
        if done != last:
            last, last_s = done, now
    return longest


def wait_for(what, seconds, message):
    begin = time.monotonic()
    while not what():
        if time.monotonic() > begin + seconds:
            raise Wrong(message)
        time.sleep(0.01)


def one_freeze(context, how, calls):
    folder = context.folder()
    counts = folder / "counts"
    with disk(folder) as point:
        environment = {**os.environ, "LD_PRELOAD": str(context.library), "LIBTRACE_OUT": str(point / "out"),
                       "LIBTRACE_LOG": "quiet", "COUNTS": str(counts)}
        process = subprocess.Popen([context.build / "attack/calls", "return" if how == "return" else "endless", "1", str(calls)],
                                   env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            wait_for(lambda: counted(counts)[1] > 1000, 20, "no call is done")
            with frozen(point):
                if how == "return":
                    wait_for(lambda: counted(counts)[1] == calls, 60, "calls wait for the file system")
                else:
                    stall = longest_stall(counts, FROZEN_S)
                    hold(stall < STALL_S, f"a call took {stall:.1f} s")
                if how == "SIGKILL":
                    process.send_signal(signal.SIGKILL)
            if how == "goes on":
                time.sleep(0.3)
                process.send_signal(signal.SIGTERM)
            try:
                out, err = process.communicate(timeout=30)
            except subprocess.TimeoutExpired as error:
                raise Wrong("it never ends") from error
            status, text = ENDS[how]
            hold((process.returncode, out, err) == (status, text, b""), f"status {process.returncode}, {out!r}, {err!r}")
            all_there(context, point / "out", counts, how != "return")
        finally:
            process.kill()
            process.wait()


@attack("frozen", "the file system of the trace stands still for seconds while calls are made")
def try_frozen(context):
    for how in ENDS:
        yield how, functools.partial(one_freeze, context, how, 200000)
