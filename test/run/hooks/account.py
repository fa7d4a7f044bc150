#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print how many calls the traces of a folder account for: recorded, lost and skipped. usage: account.py FOLDER"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import read_trace  # noqa: E402

total = 0
for path in pathlib.Path(sys.argv[1]).glob("*.zst"):
    trace = read_trace.Trace(path)
    total += sum(not event["kind"].endswith("sample") and event["kind"] != "input" for event in trace.events())
    total += sum(state["count"] for state in trace.states if state["t"] == "lost")
    counts = {state["name"]: state["value"] for state in trace.states if state["t"] == "count"}
    total += counts.get("skipped_reentry", 0)
print(total)
