#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the totals of a trace as the Python reader and as `trace-analyzer dump` see them.

usage: totals.py TRACE"""
import collections
import json
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "scripts"))
import read_trace  # noqa: E402


def from_dump(path):
    """events, duration_ns and copy_bytes per kind from the analyzer's dump, one JSON object a line."""
    totals = {key: collections.Counter() for key in ("events", "duration_ns", "copy_bytes")}
    dump = subprocess.run([root / "build/trace-analyzer", "dump", "--format", "json", path],
                          stdout=subprocess.PIPE, check=True)
    for line in dump.stdout.splitlines():
        item = json.loads(line)
        if "begin_ns" not in item:
            continue
        kind = item["kind"]
        totals["events"][kind] += 1
        totals["duration_ns"][kind] += item["end_ns"] - item["begin_ns"]
        if kind in ("copy", "device_copy"):
            totals["copy_bytes"][kind] += item["fields"]["bytes"]
    return totals


def main():
    mine, theirs = read_trace.Trace(sys.argv[1]).totals(), from_dump(sys.argv[1])
    wrong = [key for key in theirs if dict(mine[key]) != dict(theirs[key])]
    for key in wrong:
        print(f"{key}: reader {dict(mine[key])}, analyzer {dict(theirs[key])}")
    print(f"{sum(mine['events'].values())} events, {len(mine['events'])} kinds")
    sys.exit(bool(wrong) or not mine["events"])


if __name__ == "__main__":
    main()
