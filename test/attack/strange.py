# SPDX-License-Identifier: MIT
"""Places that programs find themselves in, and what Python does to a process; the calls of both are counted by themselves."""
import functools
import pathlib
import re
import shutil

from cluster import CANNOT, account
from ends import all_there
from failing import victim
from frame import Skip, attack, hold

# what is mounted before the program begins; {} is an empty folder
MOUNTS = {
    "no /dev/shm": "umount -l /dev/shm; mount -t tmpfs -o ro,size=4k none /dev/shm",
    "64 KiB of /dev/shm": "mount -t tmpfs -o size=64k none /dev/shm",
    "an empty /dev": "mount -t tmpfs -o size=64k none /dev",
    "no /proc": "umount -l /proc",
    "an empty /proc": "mount -t tmpfs -o ro none /proc",
    "an empty /sys": "mount -t tmpfs -o ro none /sys",
    "/tmp to be read only": "mount --bind /tmp {} && mount -t tmpfs -o ro none /var/tmp && mount --bind /tmp /tmp && mount -o remount,ro,bind /tmp",
}
# NUMBER of a system call on x86-64 and what it fails with: what Docker refuses, and what other kernels than Linux do not have
EPERM, EINVAL, ENOSYS, ENOTSUP = 1, 22, 38, 95
DOCKER = [(number, EPERM) for number in (321, 298, 101, 310, 311, 323, 250, 248, 249, 165, 166, 272, 308, 155, 312, 303, 304, 179, 103,
                                         163, 164, 227, 279, 237, 238, 239, 425)] + [(435, ENOSYS)]
OTHER = [(number, ENOSYS) for number in (324, 334, 332, 437, 436, 439, 319, 326, 434, 438, 449, 440, 435, 327, 425, 298, 321, 314, 325,
                                         441, 310, 311, 101, 323)] + [(285, ENOTSUP)]
LITTLE_KIB, MUCH_KIB = 90000, 9000000  # that are free
PYTHON = "test/attack/strange_program.py"
HABITS = ["faulthandler", "segv", "interpreters", "_exit", "itimer", "exec", "daemon", "audit", "profile", "deep", "atexit", "pools",
          "threads"]


def one_mount(context, name, threads):
    folder = context.folder()
    (folder / "empty").mkdir()
    script = f"{MOUNTS[name].format(folder / 'empty')} || exit {CANNOT}; exec \"$@\""
    shell = ["unshare", "-m", "bash", "-c", script, "-"]
    out = pathlib.Path("/dev/shm") / f"libtrace-attack-{folder.parent.name}-{folder.name}" if "/tmp" in name else folder / "out"
    command = victim(context, "return", threads, 3000)
    plain = context.run([*shell, *command])
    if plain.status != 3:
        raise Skip(f"{name}: it cannot be done here")
    counts = {} if "/tmp" in name else {"COUNTS": folder / "counts"}
    traced = context.run([*shell, "env", f"LD_PRELOAD={context.library}", *command], LIBTRACE_OUT=out, **counts)
    context.same(plain, traced)
    if counts:
        all_there(context, out, folder / "counts")
    else:
        there, lost, skipped, _ = context.account(out)
        hold(there + lost + skipped == threads * 3000, f"{there} recorded, {lost} lost, {skipped} skipped of {threads * 3000}")
        shutil.rmtree(out)
    context.drop(folder)


def one_filter(context, refused, how, threads):
    """All these calls fail at once."""
    folder = context.folder()
    chain = [part for number, error in refused for part in (context.build / "attack/refuse", number, error)]
    command = victim(context, how, threads, 2000)
    plain = context.run([*chain, *command], limit=120)
    if plain.status not in (0, 3):
        raise Skip(f"{how}: it does not work without the library either")
    traced = context.run([*chain, "/usr/bin/env", f"LD_PRELOAD={context.library}", *command], limit=120, LIBTRACE_OUT=folder / "out",
                         COUNTS=folder / "counts")
    context.same(plain, traced)
    all_there(context, folder / "out", folder / "counts")
    context.drop(folder)


def one_memory(context, free_kib):
    """A burst takes memory for its rings as long as there is some, and never what the program needs."""
    folder = context.folder()
    (folder / "free").write_text(f"MemTotal: {2 * free_kib} kB\nMemAvailable: {free_kib} kB\n")
    script = f"mount --bind {folder}/free /proc/meminfo || exit {CANNOT}; exec \"$@\""
    ended = context.run(["unshare", "-m", "bash", "-c", script, "-", "env", f"LD_PRELOAD={context.library}",
                         *victim(context, "burst", 1, 100)], LIBTRACE_OUT=folder / "out", COUNTS=folder / "counts", MEMORY=folder / "memory")
    if ended.status in (1, CANNOT):
        raise Skip("nothing can be mounted here")
    hold((ended.status, ended.out) == (3, b"faults 0\n"), str(ended))
    dumped = account(context, folder, "burst")
    shared_kib = int(re.search(r"\d+", (folder / "memory").read_text()).group())
    # first rings alone, in any case
    hold(free_kib == MUCH_KIB or shared_kib < 40000, f"{shared_kib} KiB of rings with {free_kib} KiB free")
    hold(free_kib == LITTLE_KIB or "\nlost " not in dumped, "events were lost, with memory free")
    context.drop(folder)


def one_habit(context, habit):
    folder = context.folder()
    python = ["/usr/bin/python3", pathlib.Path(PYTHON).resolve(), habit]
    variables = {"LD_LIBRARY_PATH": context.build / "attack/runtime"}
    plain = context.run(python, **variables)
    if plain.status == CANNOT:
        raise Skip(f"{habit}: not with this Python")
    traced = context.traced(python, folder / "out", **variables)
    context.same(plain, traced)
    made = re.search(rb"^made (\d+)$", plain.out, re.M)
    there, lost, skipped, _ = context.account(folder / "out", kinds={"set"})
    hold(made is None or there + lost + skipped == int(made.group(1)), f"{made}: {there} recorded, {lost} lost, {skipped} skipped")
    hold(made is not None or there > 0, "nothing was recorded")
    context.drop(folder)


@attack("containers", "folders of the system that are missing, full or not to be written, refused calls of sandboxes all at once, "
                      "little memory")
def try_containers(context):
    mounts = [(name, functools.partial(one_mount, context, name, 3)) for name in MOUNTS]
    filters = [(f"filter of {name}, {how}", functools.partial(one_filter, context, refused, how, 3))
               for name, refused in (("Docker", DOCKER), ("another kernel", OTHER)) for how in ("return", "exec", "closing")]
    memory = [(f"{free} KiB free", functools.partial(one_memory, context, free)) for free in (LITTLE_KIB, MUCH_KIB)]
    yield from [*context.pick(mounts, 2), *context.pick(filters, 1), *context.pick(memory, 1)]


@attack("python", "what Python programs do to their process: other interpreters, timers, ways to end, pools, handlers")
def try_python(context):
    yield from context.pick([(habit, functools.partial(one_habit, context, habit)) for habit in HABITS], 4)
