#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print what the traces of a run folder hold, one "FUNCTION RESULT MILLISECONDS" per event in order of time, and of
a wait also what for and on which medium.

usage: trace.py FOLDER [KIND...]        only events of these kinds; not samples unless they are named"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import read_trace  # noqa: E402

lines = []
for path in pathlib.Path(sys.argv[1]).glob("*.zst"):
    trace = read_trace.Trace(path)
    for event in trace.events():
        if event["kind"] in sys.argv[2:] or (len(sys.argv) == 2 and not event["kind"].endswith("sample")):
            lines.append((event["begin"], event))
    lines = [(begin, event if isinstance(event, str) else "{} {} {}".format(
        trace.defined["call"].get(event["call"], {"name": "?"})["name"], event["result"],
        (event["end"] - event["begin"]) // 1000000) + (
            " {} {}".format(event["what"], event["medium"]) if event["kind"] == "input" else ""))
        for begin, event in lines]
    if trace.damaged or not any(state["t"] == "end" for state in trace.states):
        print(f"{path}: not whole")
for _, line in sorted(lines):
    print(line)
