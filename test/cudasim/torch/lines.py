# SPDX-License-Identifier: MIT
"""Run a script and write down when each of its lines was begun: lines.py SCRIPT OUTPUT.

Each line of OUTPUT is "nanoseconds line" on CLOCK_MONOTONIC, the clock of the device's log.
"""
import runpy
import sys
import time

SEEN = []


def trace_of(path):
    now = time.monotonic_ns

    def line(frame, event, _):
        if event == "line":
            SEEN.append((now(), frame.f_lineno))
        return line

    def call(frame, _event, _arg):
        return line if frame.f_code.co_filename == path else None

    return call


def main(script, output):
    sys.settrace(trace_of(script))
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        sys.settrace(None)
        with open(output, "w", encoding="utf-8") as file:
            file.writelines(f"{when} {line}\n" for when, line in SEEN)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
