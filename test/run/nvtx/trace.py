#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the ranges in the traces of a run folder in order of their ends, as the test programs say them:
"range DOMAIN|NAME|PAYLOAD|FLAGS|CATEGORY".

usage: trace.py FOLDER [counts|state|places]
counts: how many ranges, and how many were lost; state: of the source nvtx; places: who made the ranges"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import read_trace  # noqa: E402

FLAGS = {0: "mark", 1: "started", 2: "other_thread", 8: "uint64", 9: "int64", 10: "double", 11: "uint32",
         12: "int32", 13: "float"}
ranges, states, lost, places = [], set(), {}, set()
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.zst")):
    trace = read_trace.Trace(path)
    events = [event for event in trace.events() if event["kind"] == "range"]
    where = trace.defined["place"]
    for event in events:
        flags = " ".join(name for bit, name in FLAGS.items() if event["flags"] >> bit & 1)
        ranges.append((event["end"], f"range {event['domain'] or ''}|{event['name'] or ''}|"
                       f"{event['payload'] % 2**64}|{flags}|{event['category']}"))
        place = where.get(event["place"], {})
        name = trace.defined["name"].get(place.get("user_file"), {}).get("text", "")
        places.add(f"{name.rsplit('/', 1)[-1]}:{place.get('user_line', 0)}")
        if event["end"] < event["begin"] or "mark" in flags and event["end"] != event["begin"]:
            print("wrong times", event)
    for state in trace.states:
        if state["t"] == "source" and state["name"] == "nvtx":
            states = {f"{state['state']} {state['reason']}".strip()}
        if state["t"] == "count" and state["name"] == "ranges_lost":
            lost[path] = state["value"]
        if state["t"] == "lost":
            lost[path, state["first_ns"]] = state["count"]
    if trace.damaged or not any(state["t"] == "end" for state in trace.states):
        print(f"{path}: not whole")
what = sys.argv[2] if len(sys.argv) > 2 else ""
if what == "counts":
    print(f"{len(ranges)} recorded, {sum(lost.values())} lost")
elif what == "state":
    print("\n".join(states))
elif what == "places":
    print("\n".join(sorted(places)))
else:
    print("\n".join(line for _, line in sorted(ranges)))
