# SPDX-License-Identifier: MIT
"""Long and fast: memory of the program stays flat, nothing is lost, and its trace is read in little memory."""
import functools
import os
import pathlib
import statistics
import subprocess
import time

from frame import attack, hold

SECONDS = int(os.environ.get("SOAK_SECONDS", "600"))
PARTS = 10
GROWTH_KIB = 1024  # after the first part, of all but rings
RINGS_KIB = 8 << 10  # a thread's, each time that it grew: 1, 2 and 4 MiB, and what else lies in that file
ANALYZER_KIB = 64 << 10


def resident_kib(process):
    """What lies in the file under the rings, and all else."""
    shared = other = 0
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssShmem:"):
            shared = int(line.split()[1])
        elif line.startswith(("RssAnon:", "RssFile:")):
            other += int(line.split()[1])
    return shared, other


def watch(process):
    """Resident memory in ten parts of the time, in KiB: at the end of the first one, then the middle of each.
    Of the rings and of all else."""
    parts, begin = [], time.monotonic()
    for part in range(1, PARTS + 1):
        seen = []
        while time.monotonic() < begin + part * SECONDS / PARTS:
            seen.append(resident_kib(process.pid))
            time.sleep(0.2)
        counted = seen if part > 1 else seen[-len(seen) // 4:]
        parts.append([statistics.median(column) for column in zip(*counted)])
    return zip(*parts)


def one_soak(context, name, command, **variables):
    folder = context.folder()
    environment = {**os.environ, "LD_PRELOAD": str(context.library), "LIBTRACE_OUT": str(folder / "out"), "LIBTRACE_LOG": "quiet",
                   "COUNTS": str(folder / "counts"), **variables}
    process = subprocess.Popen([str(part) for part in command], env=environment, stdout=subprocess.DEVNULL)
    try:
        rings, other = watch(process)
        threads = sum(1 for _ in pathlib.Path(f"/proc/{process.pid}/task").iterdir())
    finally:
        process.kill()
        process.wait()
    trace = next((folder / "out").glob("*.zst"))
    totals = context.run(["bash", "-c", f"ulimit -v {1 << 20}; exec \"$@\"", "-", "/usr/bin/time", "-f", "%M", context.analyzer,
                          "report", "--format", "json", trace], limit=3600)
    hold(totals.status in (0, 1, 3), str(totals)[:300])
    text = totals.out.decode()
    lost = int(text.split('"lost":')[1].split(",")[0])
    events = int(text.split('"events":')[1].split(",")[0])
    used = int(totals.err.split()[-1])
    print(f"{name}: {SECONDS} s, {events / SECONDS:.0f} events/s, {lost} lost; rings {' '.join(f'{part:.0f}' for part in rings)} KiB, "
          f"the program else {' '.join(f'{part:.0f}' for part in other)} KiB, report {used} KiB", flush=True)
    hold(max(other[1:]) - other[0] <= GROWTH_KIB, f"{name}: the program grew from {other[0]:.0f} to {max(other[1:]):.0f} KiB")
    hold(max(rings) <= threads * RINGS_KIB, f"{name}: {max(rings):.0f} KiB of rings for {threads} threads")
    hold(lost == 0, f"{lost} events lost")
    hold(used <= ANALYZER_KIB, f"the report took {used} KiB")
    context.drop(folder)


@attack("soak", "ten minutes of 200,000 calls/s, and of launches with the device recorded: memory flat, 0 lost", short=False)
def try_soak(context):
    # one after the other: both at once would measure each other
    def both():
        one_soak(context, "calls", [context.build / "attack/calls", "endless", 4, 0])
        one_soak(context, "device", [context.build / "attack/hostile", "endless"],
                 LD_LIBRARY_PATH=str(context.build / "cudasim/13"), CUDASIM_LAUNCH="8us")
    yield "calls, device", functools.partial(both)
