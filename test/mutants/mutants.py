"""Try the changes of list.txt, each in a private copy of the tree (build/mutants/1, 2, ...).

A change is killed when a unit program, a CLI script or a golden trace fails. Programs that include
headers of the changed file's folder run first; the first failure ends it. The copies are made from
build/mutants/base, which run.sh has built. usage: mutants.py JOBS [ID...]
"""
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = "build/mutants"
MOST_SURVIVING = 0.10
LIMIT_S = 120  # of one program; a change that hangs is seen


class ListError(Exception):
    """A row of the list that cannot be tried."""


def read_list(path):
    """Rows of `id`, `file`, `old`, `new`, `means`: blocks of lines with a blank line between."""
    rows = []
    for block in re.split(r"\n\s*\n", open(path, encoding="utf-8").read()):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        row = dict((line.split(None, 1) + [""])[:2] for line in lines)
        if set(row) - {"new"} != {"id", "file", "old", "means"} or len(lines) not in (4, 5):
            sys.exit("list.txt: a block needs id, file, old, new, means: " + lines[0])
        row.setdefault("new", "")
        rows.append(row)
    names = [row["id"] for row in rows]
    if len(set(names)) != len(names):
        sys.exit("list.txt: an id occurs twice")
    return rows


def explained(path):
    """Ids that survivors.md explains: `- id: why`."""
    return set(re.findall(r"^- `?([a-z0-9-]+)`?: \S", open(path, encoding="utf-8").read(), re.M))


def included(path, seen):
    """Headers of the product that a test includes, also through headers of tests."""
    for name in re.findall(r'^#include "([^"]+)"', open(path, encoding="utf-8").read(), re.M):
        if name not in seen and os.path.exists(name):
            seen.add(name)
            if name.startswith("test/"):
                included(name, seen)
    return seen


def programs_by_nearness():
    """A function from a source file to the unit programs, likeliest first, and how many are near."""
    headers = {}
    for folder, _, files in os.walk("test/unit"):
        for name in files:
            if name.startswith("test_") and name.endswith(".c"):
                path = os.path.join(folder, name)
                program = "build/unit/" + os.path.relpath(path, "test/unit")[:-2]
                headers[program] = included(path, set())

    def order(source):
        stem, folder = os.path.splitext(source)[0], os.path.dirname(source) + "/"
        room = os.path.basename(os.path.dirname(source))
        scores = {}
        for program, names in headers.items():
            near = any(name.startswith(folder) for name in names)
            name = os.path.basename(program)
            scores[program] = (
                4 * (stem + ".h" in names) + 2 * near
                + 8 * ("_" + os.path.basename(stem) in name) + 1 * ("_" + room in name)
                + 1 * ("decisions/" in program and near))
        ranked = sorted(scores, key=lambda program: (-scores[program], program))
        return ranked, sum(score > 0 for score in scores.values())

    return order


def run(command, where, limit_s):
    """True when it ends well in time."""
    with open(os.path.join(where, "build/mutant.log"), "wb") as log:
        process = subprocess.Popen(command, cwd=where, stdout=log, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(limit_s) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            return False


def fails(command, where, limit_s):
    """Twice, since a machine that is busy lets a test fail now and then."""
    return not run(command, where, limit_s) and not run(command, where, limit_s)


def build(where, targets):
    if not run(["make", "-s", "CFLAGS=-O1"] + targets, where, 600):
        raise ListError("it does not build")


def suites(where, source, order):
    """What notices the change first, or None."""
    programs, near = order(source)
    for group in (programs[:2], programs[2:near], programs[near:]):
        build(where, group)
        for program in group:
            if fails([program, "-j1", "--fail-fast"], where, LIMIT_S):
                return os.path.basename(program)
    build(where, ["all", "build/bench/tracegen"])
    for suite in ("cli", "golden"):
        if fails(["test/%s/run.sh" % suite], where, 10 * LIMIT_S):
            return suite
    return None


def try_row(row, where, order):
    path = os.path.join(where, row["file"])
    if not os.path.exists(path):
        raise ListError("there is no " + row["file"])
    text = open(path, encoding="utf-8").read()
    found = text.count(row["old"])
    if found != 1:
        raise ListError("its old text occurs %d times in %s" % (found, row["file"]))
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(row["old"], row["new"]))
        return suites(where, row["file"], order)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


class Tally:
    def __init__(self, known):
        self.known, self.lock = known, threading.Lock()
        self.killed, self.survived, self.failed = 0, [], 0

    def add(self, row, killer, error, seconds):
        with self.lock:
            if error is not None:
                self.failed += 1
                print("FAIL %s: %s" % (row["id"], error))
            elif killer is None:
                self.survived.append(row["id"])
                good = row["id"] in self.known
                self.failed += not good
                print("%s %s: %s%s" % ("survived" if good else "FAIL survived", row["id"],
                                       row["means"], "" if good else " (not explained)"))
            else:
                self.killed += 1
                stale = row["id"] in self.known
                self.failed += stale
                print("%s %s by %s, %.1f s" % ("FAIL explained, but killed" if stale else "killed",
                                               row["id"], killer, seconds))
            sys.stdout.flush()


def work(where, rows, order, tally):
    while True:
        try:
            row = rows.get_nowait()
        except queue.Empty:
            return
        begin, killer, error = time.monotonic(), None, None
        try:
            killer = try_row(row, where, order)
        except ListError as problem:
            error = problem
        tally.add(row, killer, error, time.monotonic() - begin)


def main():
    jobs, wanted = int(sys.argv[1]), sys.argv[2:]
    rows = [row for row in read_list(os.path.join(HERE, "list.txt"))
            if not wanted or row["id"] in wanted]
    order, tally = programs_by_nearness(), Tally(explained(os.path.join(HERE, "survivors.md")))
    base = os.path.join(WORK, "base")
    noticed = suites(base, "analyzer/report/verdict.c", order)
    if noticed is not None:
        sys.exit("%s fails without any change\n0 passed, 1 failed" % noticed)
    waiting, threads = queue.Queue(), []
    for row in rows:
        waiting.put(row)
    for number in range(1, jobs + 1):
        where = os.path.join(WORK, str(number))
        shutil.rmtree(where, ignore_errors=True)
        subprocess.check_call(["cp", "-a", base, where])
        threads.append(threading.Thread(target=work, args=(where, waiting, order, tally)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    tried = tally.killed + len(tally.survived)
    if tried > 0 and len(tally.survived) > MOST_SURVIVING * tried and not wanted:
        tally.failed += 1
        print("FAIL %d of %d survive" % (len(tally.survived), tried))
    print("%d killed, %d survived" % (tally.killed, len(tally.survived)))
    print("%d passed, %d failed" % (len(rows) - min(tally.failed, len(rows)), tally.failed))
    sys.exit(tally.failed > 0 or not rows)


if __name__ == "__main__":
    main()
