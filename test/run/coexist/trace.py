#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the traces of a run folder say about device activity while another tool wanted it too.

usage: trace.py FOLDER          "sets SIZES; states STATES; REASONS" of a C program
       trace.py FOLDER LOG      compare kernels with the device's own log: those that ran well inside
                                 the stretches in which the source was active are all there, no other is"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import read_trace  # noqa: E402

STATES = {1: "active", 2: "yielded", 3: "failed", 4: "ended"}
MARGIN_NS = 5_000_000
CLOCK_NS = 1000  # the file's clock is another, fitted to it

trace = read_trace.Trace(next(pathlib.Path(sys.argv[1]).glob("*.zst")))
events = sorted(trace.events(), key=lambda event: event["begin"])
states = [(event["begin"], STATES[event["state"]]) for event in events if event["kind"] == "source_state"]
reasons = [f"{state['state']} {state['reason']}".strip() for state in trace.states
           if state["t"] == "source" and state["name"] == "activity" and state["state"] not in ("absent", "active")]
said = "states " + " ".join(state for _, state in states) + "; " + ", ".join(dict.fromkeys(reasons))
if len(sys.argv) == 2:
    print("sets", *sorted(event["bytes"] for event in events if event["kind"] == "device_set"), end="; ")
    print(said)
    sys.exit()

ours = sorted(event["begin"] for event in events if event["kind"] == "device_kernel")
with open(sys.argv[2], encoding="utf-8") as file:
    truth = sorted(entry["begin_ns"] for entry in map(json.loads, file)
                   if entry["type"] == "op" and entry["op"] == "kernel")
spans = [(begin, state, next((at for at, _ in states[i + 1:]), 1 << 63)) for i, (begin, state) in enumerate(states)]
for begin, state, end in spans:
    there = [at for at in truth if begin + MARGIN_NS < at < end - MARGIN_NS]
    found = [at for at in ours if begin + MARGIN_NS < at < end - MARGIN_NS]
    far = sum(abs(one - other) > CLOCK_NS for one, other in zip(there, found))
    if state == "active" and (len(found) != len(there) or far):
        print(f"active: {len(found)} of {len(there)} kernels, {far} at another time")
    if state == "yielded" and found:
        print(f"yielded: {len(found)} kernels all the same")
    if begin == spans[0][0] and not there:
        print("nothing ran before the other tool came")
print(said)
