# SPDX-License-Identifier: MIT
"""What schedulers, containers, launchers and profilers do to a program in the middle of its work."""
import ctypes.util
import functools
import os
import pathlib
import re
import shutil

from ends import all_there
from failing import victim
from frame import Skip, attack, counted, hold

CANNOT = 9
# the program does it to itself (acts.c, strange.c, unusual.c, rare.c), between two times as many calls
ACTS = ["chroot", "rights", "hidden", "stopped", "limited", "reused", "locked", "daemon", "server", "clock", "sampled", "spawns", "apart",
        "namespace", "storm of forks", "interrupted", "closing", "huge", "late",
        "strict", "sandboxed children", "clone3", "io_uring", "userfaultfd", "attached", "setns", "10,000 threads", "plug-ins", "_exit late",
        "abort late", "exit in a handler", "small stack",
        "trapped numbers", "handlers of fork", "timers", "fibers", "another", "landlock", "loading", "failed loads",
        "strict writers", "decoders", "few forbidden", "loads and forks", "no clock", "ends of threads", "state"]
# it begins like that
PLACES = ["unshare -r", "unshare -p -f", "unshare -n -i -u -C", "unshare -T --monotonic 100000 --boottime 100000", "setarch -R",
          "setsid -w", "nice -n 19", "prlimit --memlock=65536 --sigpending=0 --msgqueue=0", "env -C /proc/self", "env -i",
          "setarch -X", "setarch -L", "env LD_BIND_NOW=1", "env LD_BIND_NOT=1", "env LD_AUDIT={at}/audit.so", "env MALLOC_PERTURB_=85",
          "env GLIBC_TUNABLES=glibc.pthread.rseq=0:glibc.malloc.tcache_count=0", "env " + " ".join(f"LARGE{i}={'x' * 100000}" for i in range(15))]
ALLOCATORS = ["jemalloc", "tcmalloc_minimal", "tcmalloc", "mimalloc"]


def account(context, folder, name, more=0):
    """All calls of all processes, each of which may have a trace of its own; so many of the recorder's own may be lost as well."""
    begun, done = counted(folder / "counts")
    hold(done > 0, f"{name} made no call")
    there, lost, skipped, dumped = context.account(folder / "out")
    hold(done <= there + lost + skipped <= begun + more, f"{name}: {begun} begun, {done} done, {there} recorded, {lost} lost, {skipped} skipped")
    hold("\nend " in dumped, "the trace has no end")
    return dumped


def one_act(context, how, threads):
    folder = context.open_folder()  # somebody else may have to write there, and pass through
    variables = {"REUSE": folder / "reused"}
    command = victim(context, how, threads, 1000)
    plain = context.run(command, **variables)
    if plain.status == CANNOT:
        raise Skip(f"{how}: it cannot be done here")
    traced = context.traced(command, folder / "out", COUNTS=folder / "counts", **variables)
    context.same(plain, traced)
    hold(not any("removed or changed" in line for line in traced.said()), f"{traced.said()}, and it is there")
    if how == "abort late":  # that is no end of ours
        all_there(context, folder / "out", folder / "counts", True)
    else:
        account(context, folder, how)
    # it took less than a minute for each process, on whatever clock
    for trace in (folder / "out").glob("*.zst"):
        dumped = context.analyze("dump", trace, codes=(0,)).out.decode()
        hold(max(map(float, re.findall(r"^\+(\d+\.\d+)", dumped, re.M))) < 60, "times of another clock")
    hold(how != "reused" or (folder / "reused").stat().st_size == 0, "the program's file has what it did not write")
    context.drop(folder)


def one_off(context, how):
    """The same where the library is switched off: its entries are there, and lead on."""
    folder = context.open_folder()
    command = victim(context, how, 2, 1000)
    plain = context.run(command, REUSE=folder / "reused")
    if plain.status == CANNOT:
        raise Skip(f"{how}: it cannot be done here")
    traced = context.traced(command, folder / "out", LIBTRACE_ENABLE="0", REUSE=folder / "reused")
    context.same(plain, traced)
    hold(not traced.said() and not (folder / "out").exists(), f"{traced.said()}, and it is switched off")
    context.drop(folder)


def one_place(context, place, threads):
    folder = context.folder()
    variables = [f"COUNTS={folder}/counts"] if place == "env -i" else []
    command = victim(context, "return", threads, 3000)
    words = place.format(at=context.build / "attack").split()
    plain = context.run([*words, "env", *variables, *command], COUNTS=folder / "counts")
    if plain.status != 3:
        raise Skip(f"{place[:30]}: it cannot be done here")
    (folder / "counts").unlink(missing_ok=True)
    traced = context.run([*words, "env", *variables, f"LD_PRELOAD={context.library}", f"LIBTRACE_OUT={folder}/out", *command],
                         COUNTS=folder / "counts")
    context.same(plain, traced)
    all_there(context, folder / "out", folder / "counts")
    context.drop(folder)


def one_allocator(context, path, first):
    folder = context.folder()
    both = [str(path), str(context.library)]
    command = victim(context, "return", 4, 3000)
    plain = context.run(command, LD_PRELOAD=path)
    traced = context.traced(command, folder / "out", preload=":".join(both if first else reversed(both)), COUNTS=folder / "counts")
    context.same(plain, traced)
    all_there(context, folder / "out", folder / "counts")
    context.drop(folder)


def one_full(context):
    """The folder of the run is on a disk that another one fills, and empties again."""
    folder = context.folder()
    disk = folder / "disk"
    disk.mkdir()
    script = """mount -t tmpfs -o size=3m none "$1" || exit 9; disk=$1; shift
        env LD_PRELOAD="$LIBRARY" LIBTRACE_OUT="$disk/out" FILL="$disk/fill" "$@"; status=$?; cp -r "$disk/out" "$disk/../out"; exit $status"""
    ended = context.run(["unshare", "-m", "bash", "-c", script, "-", disk, *victim(context, "full", 2, 3000)], limit=120,
                        LIBRARY=context.library, COUNTS=folder / "counts")
    if ended.status in (1, CANNOT):
        raise Skip("a disk of its own: it cannot be had here")
    hold((ended.status, ended.out) == (3, b"faults 0\n"), str(ended))
    dumped = account(context, folder, "full", 200)
    hold("\nlost " in dumped, "the disk was full, and nothing was lost")
    # nothing is lost any more once the disk has room again
    begin = int(re.search(r"^run .* begin_ns=(\d+) ", dumped, re.M).group(1))
    last = max(int(ns) for ns in re.findall(r"^lost .*cause=disk full .*last_ns=(\d+)", dumped, re.M))
    later = sum(begin + float(at) * 1e9 > last for at in re.findall(r"^\+(\d+\.\d+) .* launch  cuda", dumped, re.M))
    hold(later >= 1000, f"{later} of 1000 launches after there was room again")
    context.drop(folder)


def one_debugger(context):
    """A debugger looks at all threads, and lets them go on."""
    folder = context.folder()
    if shutil.which("gdb") is None:
        raise Skip("gdb is not installed")
    script = """env LD_PRELOAD="$LIBRARY" "$@" & for i in 1 2 3; do sleep 0.3
        gdb -q -nx -batch -p $! -ex 'thread apply all bt' 2>&1 | grep -c '^#0' >>"$SEEN"; done; wait $!"""
    ended = context.run(["bash", "-c", script, "-", *victim(context, "return", 2, 60000)], LIBRARY=context.library, limit=120,
                        LIBTRACE_OUT=folder / "out", COUNTS=folder / "counts", SEEN=folder / "seen")
    if "3" not in (folder / "seen").read_text().split():
        raise Skip("gdb may not attach here")
    hold((ended.status, ended.out) == (3, b"faults 0\n"), str(ended))
    all_there(context, folder / "out", folder / "counts")
    context.drop(folder)


@attack("cluster", "what schedulers, containers, launchers, allocators, debuggers and profilers do to a program")
def try_cluster(context):
    acts = [(f"act {how}, {threads} threads", functools.partial(one_act, context, how, threads)) for how in ACTS for threads in (1, 4)]
    off = [(f"act {how}, switched off", functools.partial(one_off, context, how)) for how in ACTS]
    places = [(place[:60], functools.partial(one_place, context, place, 3)) for place in PLACES]
    others = [("a full disk that is emptied", functools.partial(one_full, context)), ("gdb", functools.partial(one_debugger, context))]
    for name in ALLOCATORS:
        found = find_allocator(name)
        if found is not None:
            others += [(f"{name} {'before' if first else 'behind'}", functools.partial(one_allocator, context, found, first))
                       for first in (True, False)]
    yield from [*context.pick(acts, 12), *context.pick(off, 8), *context.pick(places, 4), *others]


def find_allocator(name):
    folder = os.environ.get("ALLOCATORS")
    found = sorted(pathlib.Path(folder).rglob(f"lib{name}.so.*")) if folder else []
    return found[0] if found else ctypes.util.find_library(name)
