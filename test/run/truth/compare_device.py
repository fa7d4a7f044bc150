#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare the device records of traces with the simulated device's own log.

usage: compare_device.py [--lost N] LOG TRACE...      prints differences and exits 1 if there is any

Every operation of the device in the log must be in the trace once, and nothing else: same name, device, stream,
grid, block, bytes, direction, kinds of memory, graph and node, and times within a microsecond. Its correlation
must lead to the call that asked for it: a device_api interval of the same thread inside the recorded call, or
around it where the runtime is linked in and hooks see the driver's calls alone, or
equal to the call in the log where no hook can see it. What was asked for before the trace says that the source was
active is only counted. --lost N: exactly N operations are missing, as the trace says. Records without times (flagged)
are compared in everything else; records without a name by the rest."""
import bisect
import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import read_trace  # noqa: E402

KINDS = {"device_kernel": "kernel", "device_copy": "memcpy", "device_set": "memset"}
HOST_KINDS = {"kernel": {"launch", "graph"}, "memcpy": {"copy", "graph"}, "memset": {"set", "graph"}}
HOST = set().union(*HOST_KINDS.values())
DIRECTIONS = {0: "h2h", 1: "h2d", 2: "d2h", 3: "d2d", 5: "d2d"}
MEMORY = {0: "unknown", 1: "pageable", 2: "pinned", 3: "device", 4: "managed"}
NO_TIMES = 1
DRIVER = 1 << 3  # a flag of calls
ACTIVE = 1
SLACK_NS = 1000        # of the device's times
CLOCK_SLACK_NS = 3000  # of our clock against CLOCK_MONOTONIC


def read_log(path, pids):
    """Operations, and calls by their number and by the call they were made in."""
    operations, calls = [], collections.defaultdict(list)
    for line in open(path):
        entry = json.loads(line)
        if entry["pid"] not in pids:
            continue
        if entry["type"] == "op" and entry["op"] != "host":
            operations.append(entry)
        elif entry["type"] == "call":
            calls[entry["pid"], entry["call"]] = entry
            calls["inside", entry["pid"], entry.get("parent")].append(entry)
    return operations, calls


class Process:
    """What one trace says."""

    def __init__(self, path):
        trace = read_trace.Trace(path)
        self.events = [dict(event) for event in trace.events()]
        self.states = trace.states
        self.pid = next(state["pid"] for state in trace.states if state["t"] == "run")
        self.device, self.api, self.host, self.active = [], {}, collections.defaultdict(list), None
        for event in self.events:
            kind = event["kind"]
            if kind in KINDS:
                self.device.append(event)
            elif kind == "device_api":
                self.api.setdefault(event["correlation"], []).append(event)
            elif kind == "source_state" and event["state"] == ACTIVE and self.active is None:
                self.active = event["begin"]
            elif kind in HOST:
                self.host[trace.defined["thread"][event["thread"]]["tid"]].append(event)
        for hosts in self.host.values():
            hosts.sort(key=lambda host: host["begin"])
        self.begins = collections.defaultdict(list, {
            tid: [host["begin"] for host in hosts] for tid, hosts in self.host.items()})
        self.counts = {state["name"]: state["value"] for state in trace.states if state["t"] == "count"}
        self.lost = sum(state["count"] for state in trace.states if state["t"] == "lost")


def signature(entry):
    """What does not depend on times, of an operation in the log."""
    return (entry["op"], entry["device"], entry["stream"],
            tuple(entry["grid"]) + tuple(entry["block"]) if entry["op"] == "kernel" else entry["bytes"])


def event_signature(event):
    kind = KINDS[event["kind"]]
    return (kind, event["device"], event["stream"],
            tuple(event[f"{shape}_{axis}"] for shape in ("grid", "block") for axis in "xyz")
            if kind == "kernel" else event["bytes"])


def differences(entry, event):
    pairs = []
    if entry["op"] == "kernel":
        if event["kernel"]:
            pairs.append(("kernel", entry["kernel"], event["kernel"]))
        pairs.append(("shared", entry.get("shared", 0), event["shared_bytes"]))
    elif entry["op"] == "memcpy":
        pairs += [("direction", entry["kind"], DIRECTIONS.get(event["direction"])),
                  ("source", entry["source"], MEMORY[event["src_memory"]]),
                  ("target", entry["target"], MEMORY[event["dst_memory"]])]
    pairs += [("graph", entry.get("graph", 0), event["graph"]), ("node", entry.get("node", 0), event["graph_node"])]
    found = [f"{name}: log {a}, trace {b}" for name, a, b in pairs if a != b]
    if not event["flags"] & NO_TIMES and (abs(entry["begin_ns"] - event["begin"]) > SLACK_NS
                                          or abs(entry["end_ns"] - event["end"]) > SLACK_NS):
        found.append(f"times: log {entry['begin_ns']}..{entry['end_ns']}, trace {event['begin']}..{event['end']}")
    return found


def is_around(api, call):
    """A call that is only referred to has the times of the recorded one, which begins before it and ends after it."""
    return api["begin"] <= call["begin_ns"] + CLOCK_SLACK_NS and call["end_ns"] <= api["end"] + CLOCK_SLACK_NS


def check_call(entry, event, process, calls):
    """The call that the correlation leads to; a list of what is wrong with it."""
    apis = process.api.get(event["correlation"], [])
    if not apis:
        return [f"no call of correlation {event['correlation']}"]
    if len(apis) > 1:
        return [f"{len(apis)} calls of correlation {event['correlation']}"]
    call, api = calls[entry["pid"], entry["call"]], apis[0]
    while call["layer"] == "library" or call["tid"] != api["thread"]:
        inner = [c for c in calls["inside", call["pid"], call["call"]]
                 if (is_around(api, c) if api.get("matched") else
                     c["begin_ns"] <= api["begin"] + SLACK_NS and c["end_ns"] + SLACK_NS >= api["end"])]
        if not inner:
            return [f"thread {api['thread']} of the call, log {call['tid']} {call['function']}"]
        call = inner[0]
    found = []
    if api["flags"] & NO_TIMES:
        return []
    exact = abs(call["begin_ns"] - api["begin"]) <= SLACK_NS and abs(call["end_ns"] - api["end"]) <= SLACK_NS
    if not (is_around(api, call) if api.get("matched") else exact):
        found.append(f"call: log {call['function']} {call['begin_ns']}..{call['end_ns']}, "
                     f"trace {api['begin']}..{api['end']}")
    hosts, begins = process.host[api["thread"]], process.begins[api["thread"]]
    at = bisect.bisect_right(begins, api["begin"] + CLOCK_SLACK_NS)
    around = [host for host in hosts[max(at - 4, 0):at]
              if host["begin"] - CLOCK_SLACK_NS <= api["begin"] and api["end"] <= host["end"] + CLOCK_SLACK_NS]
    if not around:  # of a runtime inside the program only the driver's calls are seen: they lie within
        end = bisect.bisect_right(begins, api["end"] + CLOCK_SLACK_NS)
        around = [host for host in hosts[max(at - 1, 0):end] if host["flags"] & DRIVER
                  and api["begin"] <= host["begin"] + CLOCK_SLACK_NS and host["end"] <= api["end"] + CLOCK_SLACK_NS]
    wanted = [host for host in around if host["kind"] in HOST_KINDS[entry["op"]]]
    if not wanted:
        found.append(f"no recorded call around {call['function']}: {[host['kind'] for host in around]}")
    elif entry["op"] == "kernel" and event["kernel"]:
        # calls that follow each other within the slack: the one that overlaps most
        host = max(wanted, key=lambda host: min(host["end"], api["end"]) - max(host["begin"], api["begin"]))
        if host["kind"] == "launch" and host["kernel"] not in ("", entry["kernel"]):
            found.append(f"the call launched {host['kernel']}, the device ran {entry['kernel']}")
    return found


def match(operations, events):
    """Pairs of log and trace by signature and the nearest begin, and what is left over of both."""
    by_signature = collections.defaultdict(list)
    for event in events:
        by_signature[event_signature(event)].append(event)
    pairs, missing = [], []
    for entries in group(operations).values():
        found = sorted(by_signature.pop(signature(entries[0]), []), key=lambda event: event["begin"])
        entries.sort(key=lambda entry: entry["begin_ns"])
        times = [event for event in found if not event["flags"] & NO_TIMES]
        timeless = [event for event in found if event["flags"] & NO_TIMES]
        at, rest = 0, []
        for entry in entries:
            if at < len(times) and times[at]["begin"] <= entry["begin_ns"] + SLACK_NS:
                pairs.append((entry, times[at]))
                at += 1
            else:
                rest.append(entry)
        by_signature[signature(entries[0])] = times[at:]
        # without times: those of the same graph, node and name, any
        for event in timeless:
            index = next((i for i, entry in enumerate(rest) if not differences(entry, event)), None)
            if index is None:
                by_signature[signature(entries[0])].append(event)
            else:
                pairs.append((rest.pop(index), event))
        missing += rest
    return pairs, missing, [event for events in by_signature.values() for event in events]


def group(operations):
    groups = collections.defaultdict(list)
    for entry in operations:
        groups[signature(entry)].append(entry)
    return groups


def main():
    arguments, lost = sys.argv[1:], 0
    if arguments[:1] == ["--lost"]:
        lost, arguments = int(arguments[1]), arguments[2:]
    log_path, *paths = arguments
    processes = {}
    for path in paths:
        process = Process(path)
        processes[process.pid] = process
    operations, calls = read_log(log_path, processes)
    problems, compared, early, told = [], 0, 0, 0
    for pid, process in processes.items():
        own = [entry for entry in operations if entry["pid"] == pid]
        late = [entry for entry in own if process.active is not None
                and calls[pid, entry["call"]]["end_ns"] > process.active]
        early += len(own) - len(late)
        pairs, missing, surplus = match(late, process.device)
        compared += len(pairs)
        told += process.counts.get("activity_dropped", 0) + process.counts.get("activity_discarded", 0)
        if len(missing) != lost:
            problems += [f"missing: {entry['op']} {entry.get('kernel', '')} {entry['begin_ns']}" for entry in missing]
        problems += [f"not in the log: {event['kind']} {event.get('kernel', '')} {event['begin']}" for event in surplus]
        for entry, event in pairs:
            what = f"{entry['op']} {entry.get('kernel', '')} {entry['begin_ns']}"
            problems += [f"{what}: {text}" for text in differences(entry, event)]
            problems += [f"{what}: {text}" for text in check_call(entry, event, process, calls)]
    if lost and told != lost:
        problems.append(f"{lost} operations lost, {told} told")
    for problem in problems[:20]:
        print(problem)
    print(f"{compared} operations compared, {early} before the source was active, {len(problems)} differences")
    sys.exit(bool(problems) or compared == 0)


if __name__ == "__main__":
    main()
