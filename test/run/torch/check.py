# SPDX-License-Identifier: MIT
"""Compares a recording of program.py with what PyTorch's profiler noted in the same run."""
import collections
import glob
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../scripts"))
import read_trace

failures = []


def expect(what, got, want):
    if got != want:
        failures.append("%s: got %s, want %s" % (what, str(got)[:1500], str(want)[:1500]))


def inside(events, region="the region"):
    """Events that lie in the region's, each as (name, begin, end)."""
    begin, end = [(b, e) for name, b, e in events if name == region][0]
    return [event for event in events if event[1] >= begin and event[2] <= end]


def with_parent(events):
    """How often each (name, name of the innermost event around it) occurs."""
    found, open_ones = collections.Counter(), []
    for name, begin, end in sorted(events, key=lambda event: (event[1], -event[2])):
        while open_ones and open_ones[-1][1] <= begin:
            open_ones.pop()
        found[name, open_ones[-1][0] if open_ones else None] += 1
        open_ones.append((name, end))
    return found


def linked(events, name, place_of):
    """(function of the backward pass, operator behind it, its line) of those that have a number."""
    behind, found = {}, set()
    for event in events:
        pair = event["forward"], event["sequence"]
        if event["forward"] and event["scope"] == 0:
            known = behind.get(pair)
            behind[pair] = event if known is None or known["begin"] < event["begin"] else known
        elif event["forward"] and event["scope"] == 1:
            place = place_of.get(behind[pair]["line"]) if pair in behind else None
            found.add((event["name"], behind[pair]["name"] if pair in behind else None,
                       (name.get(place["user_file"]), place["user_line"]) if place else None))
    return found


def main():
    folder, truth_path = sys.argv[1:3]
    with open(truth_path, encoding="utf-8") as file:
        truth = json.load(file)
    traces = [read_trace.Trace(path) for path in sorted(glob.glob(folder + "/*.zst"))]
    recorded = [list(trace.events()) for trace in traces]
    mine = [i for i, events in enumerate(recorded) if any(e.get("name") == "the region" for e in events)]
    if len(mine) != 1:
        print("%d traces hold the region" % len(mine))
        return 1
    trace, events = traces[mine[0]], [e for e in recorded[mine[0]] if e["kind"] == "op"]
    name = {id: item["text"] for id, item in trace.defined["name"].items()}

    thread = [e["thread"] for e in events if e["name"] == "the region"][0]
    ours = inside([(e["name"], e["begin"], e["end"]) for e in events if e["thread"] == thread])
    theirs = truth["events"]
    counts = [collections.Counter(event[0] for event in x) for x in (ours, theirs)]
    expect("operators that differ (ours, profiler's)",
           {n: (counts[0][n], counts[1][n]) for n in counts[0] | counts[1]
            if counts[0][n] != counts[1][n]}, {})
    first, last = ([e for e in ours if e[0] == n][0] for n in ("first begun", "last begun"))
    expect("begins and ends of crossing ranges",
           (first[1] < last[1], first[2] < last[2], last[1] < first[2]), (True,) * 3)
    # Ranges that end in another order than they began do not nest.
    odd = ("first begun", "last begun")
    pairs = [with_parent(ours), collections.Counter((n, p) for n, p in theirs)]
    pairs = [collections.Counter({key: n for key, n in x.items() if not set(key) & set(odd)}) for x in pairs]
    expect("operators around operators (ours, profiler's)",
           [pairs[0] - pairs[1], pairs[1] - pairs[0]], [{}, {}])

    where = {"enumerate(DataLoader)": "loader", "Optimizer.step": "step",
             "Optimizer.zero_grad": "zero_grad", "range": "range"}
    places = collections.defaultdict(set)
    for event in events:
        if event["scope"] == 7 and event["thread"] == thread:
            place = trace.defined["place"].get(event["place"])
            key = event["name"].split("#")[0]
            places[key if key in where else "range"].add(place and (name.get(place["user_file"]), place["user_line"]))
    for key, tag in where.items():
        expect("places of " + key, places[key], {(truth["file"], line) for line in truth["lines"][tag]})

    # The first ones are compared with PyTorch's own count before they are recorded.
    begin, end = [(e["begin"], e["end"]) for e in events if e["name"] == "the region"][0]
    within = [e for e in events if e["forward"] and begin <= e["begin"] <= end]
    since = min([e["begin"] for e in within if e["scope"] == 1], default=end)
    first = max([e["sequence"] for e in within if e["scope"] == 0 and e["begin"] < since], default=0)
    pairs = [collections.Counter((e["name"], e["sequence"]) for e in within if e["sequence"] > first),
             collections.Counter((n, s) for n, s in truth["numbers"] if s > first)]
    expect("numbers (ours, profiler's)", [pairs[0] - pairs[1], pairs[1] - pairs[0]], [{}, {}])
    expect("many of them", sum(pairs[0].values()) > 60, True)
    line = truth["file"], truth["lines"]["forward"][0]
    expect("operators behind functions", linked(events, name, trace.defined["place"]),
           {("MseLossBackward0", "aten::mse_loss", line), ("AddmmBackward0", "aten::addmm", line),
            ("ReluBackward0", "aten::relu", line), ("TBackward0", "aten::t", line)})

    unknown = {e["name"] for e in events if e["line"] and e["line"] not in trace.defined["place"]}
    expect("operators whose line is not in the trace", unknown, set())

    states = {item.get("name"): item for item in trace.states if item["t"] == "source"}
    expect("state", states["torch"]["state"], "active")
    threads = collections.Counter(e["thread"] for e in events if e["name"] == "aten::item")
    others = sum(count for number, count in threads.items() if number != thread)
    expect("items on the other thread", others, 50)
    loaders = [sum(e.get("name", "").startswith("aten::stack") for e in events)
               for i, events in enumerate(recorded) if i != mine[0]]
    expect("worker processes, without their operators", [len(loaders) >= 2, sum(loaders)], [True, 0])
    lost = sum(state["count"] for trace in traces for state in trace.states if state["t"] == "lost")
    expect("lost", lost, 0)
    for line in failures:
        print(line)
    print("%d operators and ranges, same as the profiler's" % len(ours))
    return 1 if failures or len(ours) < 500 else 0


if __name__ == "__main__":
    sys.exit(main())
