# SPDX-License-Identifier: MIT
"""What attacks have in common: programs run with and without the library, and the account of a trace."""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import read_trace  # noqa: E402

OF_HOST = {"launch", "copy", "set", "sync", "event", "alloc", "stream", "graph", "call"}
ATTACKS = []


class Skip(Exception):
    """This try cannot be made here, and why."""


class Wrong(Exception):
    """What does not hold."""


def attack(name, what, short=True):
    """short: a part of it is tried in CI."""
    def keep(function):
        ATTACKS.append((name, what, short, function))
        return function
    return keep


def hold(good, what):
    if not good:
        raise Wrong(what)


class Ended:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def said(self):
        return [line for line in self.err.decode(errors="replace").splitlines() if line.startswith("libtrace: ")]

    def others(self):
        return [line for line in self.err.decode(errors="replace").splitlines() if not line.startswith("libtrace: ")]

    def __str__(self):
        return f"status {self.status}, {self.out[-100:]!r}, {self.err[-300:]!r}"


class Context:
    def __init__(self, build, work, short, seed):
        self.build, self.work, self.short = build, work, short
        self.library, self.analyzer = build / "libtrace.so", build / "trace-analyzer"
        self.random, self.plain, self.lock, self.number = random.Random(seed), {}, threading.Lock(), 0

    def pick(self, tries, count):
        """All of them, or in the short form so many, spread by chance."""
        tries = list(tries)
        return self.random.sample(tries, count) if self.short and len(tries) > count else tries

    def folder(self):
        with self.lock:
            self.number += 1
            path = self.work / f"try{self.number}"
        path.mkdir()
        return path

    def open_folder(self):
        """One that every user may pass to and write to."""
        path = self.folder()
        path.chmod(0o777)
        for passed in (self.work, self.work.parent):
            passed.chmod(0o755)
        return path

    def run(self, command, limit=60, cwd=None, stdin=None, kill_after=None, begun=None, **variables):
        """kill_after: so many seconds after begun() is true, or after the start."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("LIBTRACE_")}
        environment.update((key, str(value)) for key, value in variables.items() if value is not None)
        process = subprocess.Popen([str(part) for part in command], env=environment, cwd=cwd or self.work,
                                   stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        until = time.monotonic() + limit
        while begun is not None and not begun() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.005)
        never = begun is not None and process.poll() is None and not begun()
        try:
            out, err = process.communicate(timeout=0 if never else kill_after or limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            if never or kill_after is None:
                what = f"has not begun after {limit} s" if never else "hangs"
                raise Wrong(f"{pathlib.Path(str(command[0])).name} {what}: {err[-200:]!r}")
        return Ended(process.returncode, out, err)

    def alone(self, command, **variables):
        """Without the library; asked once."""
        key = (tuple(map(str, command)), tuple(sorted(variables.items())))
        if key not in self.plain:
            self.plain[key] = self.without(command, **variables)
        return self.plain[key]

    def without(self, command, **variables):
        try:
            return self.run(command, **variables)
        except Wrong as error:
            raise Skip(f"without the library too: {error}") from error

    def traced(self, command, out, preload=None, **variables):
        return self.run(command, LD_PRELOAD=preload or self.library, LIBTRACE_OUT=out, **variables)

    def same(self, plain, traced, errors=True):
        hold((plain.status, plain.out) == (traced.status, traced.out), f"alone {plain}; with the library {traced}")
        hold(not errors or plain.others() == traced.others(), f"errors alone {plain.others()}; else {traced.others()}")

    def analyze(self, *arguments, limit=60, codes=(0, 1, 2, 3, 4), **variables):
        ended = self.run([self.analyzer, *arguments], limit=limit, **variables)
        hold(ended.status in codes, f"analyzer {arguments[0]}: {ended}")
        return ended

    def account(self, folder, kinds=OF_HOST):
        """Calls of all traces of a folder, also of killed processes: in it, lost, skipped; and the dump."""
        if not pathlib.Path(folder).exists():
            return 0, 0, 0, ""
        dumped = self.analyze("dump", folder, codes=(0,)).out.decode(errors="replace")
        there = sum(kind in kinds for kind in re.findall(r"^[+-]\S+ +\S+ +\d+ +(\w+) ", dumped, re.M))
        lost = sum(map(int, re.findall(r"^lost .*count=(\d+)", dumped, re.M)))
        # counters run on: the last one of each process holds, and there is one process that skips
        skipped = re.findall(r"^count name=skipped_reentry value=(\d+)", dumped, re.M)
        return there, lost, int(skipped[-1]) if skipped else 0, dumped

    def drop(self, folder):
        shutil.rmtree(folder, ignore_errors=True)


def counted(path):
    """What the program itself counted: calls begun and done."""
    try:
        data = pathlib.Path(path).read_bytes()
    except FileNotFoundError:
        return 0, 0
    return tuple(int.from_bytes(data[at:at + 8], "little") for at in (0, 8)) if len(data) == 16 else (0, 0)
