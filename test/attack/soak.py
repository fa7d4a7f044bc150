# SPDX-License-Identifier: MIT
"""Long and fast: memory of the program stays flat, nothing is lost, and its trace is read in little memory."""
import functools
import os
import pathlib
import resource
import subprocess
import time

from frame import attack, hold

SECONDS = int(os.environ.get("SOAK_SECONDS", "600"))
ANALYZER_KIB = 64 << 10


def resident_kib(process):
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def one_soak(context, name, command, growth_kib, **variables):
    folder = context.folder()
    environment = {**os.environ, "LD_PRELOAD": str(context.library), "LIBTRACE_OUT": str(folder / "out"), "LIBTRACE_LOG": "quiet",
                   "COUNTS": str(folder / "counts"), **variables}
    process = subprocess.Popen([str(part) for part in command], env=environment, stdout=subprocess.DEVNULL)
    try:
        time.sleep(min(10, SECONDS / 4))
        begin = resident_kib(process.pid)
        time.sleep(SECONDS - min(10, SECONDS / 4))
        end = resident_kib(process.pid)
    finally:
        process.kill()
        process.wait()
    trace = next((folder / "out").glob("*.zst"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    totals = context.run(["bash", "-c", f"ulimit -v {16 * ANALYZER_KIB}; exec \"$@\"", "-", "/usr/bin/time", "-f", "%M", context.analyzer,
                          "report", "--format", "json", trace], limit=3600)
    text = totals.out.decode()
    lost = int(text.split('"lost":')[1].split(",")[0])
    events = int(text.split('"events":')[1].split(",")[0])
    used = int(totals.err.split()[-1])
    print(f"{name}: {SECONDS} s, {events / SECONDS:.0f} events/s, {lost} lost; program {begin} to {end} KiB, report {used} KiB",
          flush=True)
    hold(before >= 0 and totals.status in (0, 1, 3), str(totals)[:300])
    hold(end - begin <= growth_kib, f"the program grew from {begin} to {end} KiB")
    hold(lost == 0, f"{lost} events lost")
    hold(used <= ANALYZER_KIB, f"the report took {used} KiB")
    context.drop(folder)


@attack("soak", "ten minutes of 200,000 calls/s, and of launches with the device recorded: memory flat, 0 lost", short=False)
def try_soak(context):
    # one after the other: both at once would measure each other
    def both():
        one_soak(context, "calls", [context.build / "attack/calls", "endless", 3, 0], 1024)
        one_soak(context, "device", [context.build / "attack/hostile", "endless"], 4096,
                 LD_LIBRARY_PATH=str(context.build / "cudasim/13"), CUDASIM_LAUNCH="8us")
    yield "calls, device", functools.partial(both)
