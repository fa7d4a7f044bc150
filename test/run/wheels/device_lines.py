#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that a trace says, for every operation of the device, which call, operator and Python line were behind it.

usage: device_lines.py TRACE...      prints what is missing and exits 1 if anything is

Every operation must have a call, found by its correlation and its interval on the thread. The call must lie within
an operator (or another range of the framework), and on the thread that runs the script it must have a line of the
script's own code; the thread of the backward pass runs no Python. A graph's operations have those of its launch.
What was asked for while the device was not recorded does not count."""
import bisect
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import read_trace  # noqa: E402

OPERATIONS = {"device_kernel", "device_copy", "device_set"}
CALLS = {"launch", "copy", "set", "graph"}
CLOCK_SLACK_NS = 3000


class Intervals:
    """Intervals of a thread by their begin; those of a kind may lie within each other."""

    def __init__(self, events):
        self.events = sorted(events, key=lambda event: event["begin"])
        self.begins = [event["begin"] for event in self.events]
        self.reach = []  # the latest end so far
        for event in self.events:
            self.reach.append(max(event["end"], self.reach[-1] if self.reach else 0))

    def around(self, begin, end, slack=0):
        """Those that contain begin to end, the latest begun first."""
        at = bisect.bisect_right(self.begins, begin + slack) - 1
        while at >= 0 and self.reach[at] + slack >= end:
            if self.events[at]["end"] + slack >= end:
                yield self.events[at]
            at -= 1


def overlap(a, b):
    return min(a["end"], b["end"]) - max(a["begin"], b["begin"])


def check(path, counts):
    trace = read_trace.Trace(path)
    operations, apis, calls, ranges = [], {}, collections.defaultdict(list), collections.defaultdict(list)
    for event in trace.events():
        kind = event["kind"]
        if kind in OPERATIONS:
            operations.append(event)
        elif kind == "device_api":
            apis.setdefault(event["correlation"], event)
        elif kind in CALLS or kind == "op":
            tid = trace.defined["thread"][event["thread"]]["tid"]
            (ranges if kind == "op" else calls)[tid].append(event)
    pid = next(state["pid"] for state in trace.states if state["t"] == "run")
    calls = {tid: Intervals(events) for tid, events in calls.items()}
    ranges = {tid: Intervals(events) for tid, events in ranges.items()}
    for operation in operations:
        name = operation.get("kernel") or operation["kind"]
        api = apis.get(operation["correlation"])
        if api is None or api["thread"] not in calls:
            yield f"{name}: no call of correlation {operation['correlation']}"
            continue
        found = list(calls[api["thread"]].around(api["begin"], api["end"], CLOCK_SLACK_NS))
        if not found:
            yield f"{name}: no recorded call around {api['begin']}..{api['end']}"
            continue
        call = max(found, key=lambda call: overlap(call, api))
        counts["operations"] += 1
        inside = next(ranges.get(api["thread"], Intervals([])).around(call["begin"], call["end"]), None)
        if inside is None and not operation["graph"]:
            yield f"{name}: no operator around its call"
        place = trace.defined["place"].get(call["place"], {})
        counts["script"] += api["thread"] == pid
        if api["thread"] == pid and not place.get("user_line"):
            yield f"{name}: no line of the script, place {place}"


def main():
    counts, problems = collections.Counter(), []
    for path in sys.argv[1:]:
        problems += check(path, counts)
    for problem in problems[:12]:
        print(problem[:300])
    print(f"{counts['operations']} operations, {counts['script']} asked for by the script's "
          f"thread, {len(problems)} without call, operator or line")
    sys.exit(bool(problems) or counts["operations"] == 0)


if __name__ == "__main__":
    main()
