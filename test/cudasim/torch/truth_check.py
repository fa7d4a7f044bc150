# SPDX-License-Identifier: MIT
"""Run scripts of truth/ and check in the device's own log that they are what their names say.

usage: truth_check.py SCRIPT...    the settings of its '# cudasim:' line are applied
"""
import bisect
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))

# Share of the steady time in percent, least and most: computing, copying alone, standing still.
EXPECTED = {
    "input_bound": ((0, 20), (0, 10), (75, 100)),
    "launch_bound": ((0, 50), (0, 10), (50, 100)),
    "sync_bound": ((20, 72), (0, 5), (25, 80)),
    "gpu_bound": ((92, 100), (0, 5), (0, 8)),
    "copy_bound": ((0, 35), (45, 100), (0, 50)),
    "healthy": ((90, 100), (0, 5), (0, 10)),
}


def settings_of(script):
    with open(script, encoding="utf-8") as file:
        line = re.search(r"^# cudasim: (.*)$", file.read(), re.MULTILINE)
    pairs = line.group(1).split() if line else []
    return dict(pair.split("=", 1) for pair in pairs)


# PyTorch's backward thread may want the interpreter while that ends, and the process aborts with this; of a script that ends
# soon after its last step up to two of three runs do, on a fast processor.
END_RACE = "terminate called without an active exception"
TRIES = 12


def run(script, log, command=None):
    """Output and log of the script, or of another command that runs it."""
    environment = dict(os.environ, CUDASIM_LOG=log, **settings_of(script))
    for attempt in range(TRIES):
        if os.path.exists(log):
            os.remove(log)
        done = subprocess.run([sys.executable, *(command or [script])], env=environment, capture_output=True,
                              text=True, timeout=100)
        if done.returncode != -6 or END_RACE not in done.stderr:
            break
    if attempt > 0:
        print(f"# {os.path.basename(script)}: PyTorch aborted at its end, made again: {attempt}", flush=True)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    with open(log, encoding="utf-8") as file:
        return done.stdout, [json.loads(line) for line in file if line.endswith("\n")]


def covered(spans, begin, end):
    """Time within [begin, end) that any of the spans covers."""
    total, reached = 0, begin
    for first, last in sorted(spans):
        first, last = max(first, reached), min(last, end)
        if last > first:
            total += last - first
            reached = last
    return total


def shares(operations):
    """Percent of the time of the steady operations: computing, copying alone, standing still."""
    begins = sorted(op["begin_ns"] for op in operations)
    begin, end = begins[len(begins) * 3 // 10], begins[len(begins) * 9 // 10]
    spans = [(op["op"], (op["begin_ns"], op["end_ns"])) for op in operations]
    kernels = covered([span for kind, span in spans if kind == "kernel"], begin, end)
    both = covered([span for _, span in spans], begin, end)
    return [100 * part / (end - begin) for part in (kernels, both - kernels, end - begin - both)]


def check_shares(name, entries):
    operations = [entry for entry in entries if entry["type"] == "op"]
    missing = {op["kernel"] for op in operations if op.get("computed") is False}
    found = shares(operations)
    wrong = [f"{what} {share:.0f} %" for what, share, (least, most) in
             zip(("computing", "copying", "idle"), found, EXPECTED[name]) if not least <= share <= most]
    wrong += [f"without effect: {kernel}" for kernel in sorted(missing)]
    print(f"# {name}: computing {found[0]:.0f} %, copying {found[1]:.0f} %, idle {found[2]:.0f} %")
    return wrong


def marked_lines(script):
    """Line numbers with '# sync' and with '# nosync' at their end."""
    marks = {"sync": set(), "nosync": set()}
    with open(script, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            mark = re.search(r"# (sync|nosync)$", line.rstrip())
            if mark:
                marks[mark.group(1)].add(number)
    return marks["sync"], marks["nosync"]


def waiting_lines(script):
    """Lines during which the main thread made a call that waits for the device."""
    with tempfile.TemporaryDirectory() as folder:
        log, lines = os.path.join(folder, "log"), os.path.join(folder, "lines")
        _, entries = run(script, log, [os.path.join(HERE, "lines.py"), script, lines])
        with open(lines, encoding="utf-8") as file:
            begun = [tuple(map(int, line.split())) for line in file]
    times = [when for when, _ in begun]
    waits = [entry for entry in entries if entry["type"] == "call" and entry.get("waits") and
             entry["tid"] == entry["pid"]]
    places = (bisect.bisect_right(times, entry["begin_ns"]) - 1 for entry in waits)
    return {begun[place][1] for place in places if place >= 0}


def check_lines(script):
    sync, nosync = marked_lines(script)
    if not sync:
        return []
    waiting = waiting_lines(script)
    return [f"line {line} does not wait" for line in sorted(sync - waiting)] + [
        f"line {line} waits" for line in sorted(nosync & waiting)]


def check(script):
    name = os.path.splitext(os.path.basename(script))[0]
    with tempfile.TemporaryDirectory() as folder:
        output, entries = run(script, os.path.join(folder, "log"))
    wrong = check_shares(name, entries) if name in EXPECTED else []
    wrong += check_lines(script)
    if not output.strip():
        wrong.append("no output")
    return wrong


def main(scripts):
    failed = 0
    for script in scripts:
        try:
            wrong = check(script)
        except Exception as error:
            wrong = [f"{type(error).__name__}: {error}"]
        if wrong:
            failed += 1
            print(f"not ok {os.path.basename(script)}: {'; '.join(wrong)}")
    print(f"{len(scripts) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
