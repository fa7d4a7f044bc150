#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare a trace with the simulated device's own log, call by call.

usage: compare_log.py [--static] [--unseen=NAME] LOG TRACE...      prints one line per difference and exits 1 if there is any
       compare_log.py --recorded                   prints the functions that are compared

For every thread, the calls of runtime and driver in the log that are recorded (rows of hooks.def whose
capture makes a record), unless a hooked call made them, must be in the trace once, in the same order, with the same function, result, device, kernel, grid,
block, bytes, address, direction and kinds of memory, and must have
run within the interval that the trace gives. --static: the runtime is inside the program,
where nobody sees its functions, so what it calls counts as outermost. --unseen: the program also calls this function
in a way that goes past every hook."""
import collections
import functools
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import read_trace  # noqa: E402

DRIVER = 1 << 3  # a flag of records
# Captures that keep what later records need and make no record themselves.
SILENT = ("capture_register", "capture_unregister", "capture_kernel_handle", "capture_function_handle",
          "capture_library_kernel", "capture_module_function", "capture_library_module",
          "capture_context_current", "capture_context_pop", "capture_set_device")
ROWS = """#define HOOK_ROW(library, type, name, params, args, capture, gate, flags) @@name|capture
#include "preload/calls/hooks.def"
"""
DIRECTIONS = {0: "h2h", 1: "h2d", 2: "d2h", 3: "d2d", 5: "peer"}
MEMORY = {0: "unknown", 1: "pageable", 2: "pinned", 3: "device", 4: "managed"}
CLOCK_SLACK_NS = 2000  # the trace's clock against CLOCK_MONOTONIC


@functools.cache
def hooked():
    """The names of all hooked functions and their captures, from the table itself."""
    text = subprocess.run(["gcc", "-E", "-P", "-I.", "-x", "c", "-"], input=ROWS, text=True, cwd=ROOT,
                          capture_output=True, check=True).stdout
    rows = (piece.strip().split("|") for piece in " ".join(text.split()).split("@@")[1:])
    return {name.strip(): capture.split("(")[0].strip() for name, capture, *_ in rows}


@functools.cache
def recorded():
    """Names of the functions that make records."""
    return {name for name, capture in hooked().items() if capture not in SILENT}


def is_compared(function):
    return function in recorded()


def read_log(path, pids, is_static):
    """The calls by thread that no hooked one made, in order of their begin."""
    calls, seen = collections.defaultdict(list), ("driver",) if is_static else ("runtime", "driver")
    entries = [entry for entry in map(json.loads, open(path)) if entry["type"] == "call" and entry["layer"] in seen]
    made = {(entry["pid"], entry["call"]): entry for entry in entries}

    def is_inner(entry):
        maker = made.get((entry["pid"], entry.get("parent")))
        return maker is not None and (maker["function"] in hooked() or is_inner(maker))

    for entry in entries:
        if entry["pid"] in pids and is_compared(entry["function"]) and not is_inner(entry):
            calls[entry["tid"]].append(entry)
    for entries in calls.values():
        entries.sort(key=lambda entry: entry["begin_ns"])
    return calls


def read_events(paths):
    """The same from traces, with the ids of calls turned into names; and the pids that were traced."""
    events, pids = collections.defaultdict(list), set()
    for path in paths:
        trace = read_trace.Trace(path)
        kept = [event for event in trace.events() if event["call"]]
        pids.update(state["pid"] for state in trace.states if state["t"] == "run")
        lost = sum(state["count"] for state in trace.states if state["t"] == "lost")
        if lost:
            print(f"{path}: {lost} events lost while recording")
        for event in kept:
            event["function"] = trace.defined["call"][event["call"]]["name"]
            if is_compared(event["function"]):
                events[trace.defined["thread"][event["thread"]]["tid"]].append(event)
    for entries in events.values():
        entries.sort(key=lambda event: event["begin"])
    return events, pids


def side(memory):
    return "d" if memory in ("device", "managed") else "h"


def counts_elements(entry):
    """Boxes with an array as an end are measured in its elements, but for the driver's single ones."""
    name = entry["function"]
    return "array" in entry and "3D" in name and (name.startswith("cuda") or "Batch" in name)


def differences(entry, event):
    """What a call in the log and an event in the trace disagree about."""
    pairs = [("function", entry["function"], event["function"]), ("result", entry["result"], event["result"])]
    if event["kind"] == "launch" and "kernel" in entry:
        pairs += [("driver", entry["layer"] == "driver", bool(event["flags"] & DRIVER)),
                  ("kernel", entry["kernel"], event["kernel"]), ("shared", entry["shared"], event["shared_bytes"])]
        pairs += [(f"{shape} {axis}", entry[shape][i], event[f"{shape}_{axis}"])
                  for shape in ("grid", "block") for i, axis in enumerate("xyz")]
    if "device" in entry and "device" in event:
        pairs.append(("device", entry["device"], event["device"]))
    if event["kind"] == "alloc" and "address" in entry and entry["result"] == 0:
        pairs.append(("address", entry["address"], event["address"]))
    if (event["kind"] in ("copy", "set", "alloc") and "bytes" in entry and entry["result"] == 0
            and not counts_elements(entry)):
        pairs.append(("bytes", entry["bytes"], event["bytes"]))
    if event["kind"] == "copy" and "kind" in entry and entry.get("bytes"):  # where nothing is copied there are no ends
        asked = entry["kind"]
        if asked == "default" and "source" in entry:  # the runtime's own call says what was asked for
            asked = f"{side(entry['source'])}2{side(entry['target'])}"
        if "Peer" in entry["function"]:
            asked = "peer"
        pairs.append(("direction", asked, DIRECTIONS.get(event["direction"], event["direction"])))
        if "source" in entry:
            pairs.append(("source", entry["source"], MEMORY[event["src_memory"]]))
            pairs.append(("target", entry["target"], MEMORY[event["dst_memory"]]))
    found = [f"{name}: log {a}, trace {b}" for name, a, b in pairs if a != b]
    if entry["begin_ns"] + CLOCK_SLACK_NS < event["begin"] or entry["end_ns"] > event["end"] + CLOCK_SLACK_NS:
        found.append(f"times: log {entry['begin_ns']}..{entry['end_ns']}, trace {event['begin']}..{event['end']}")
    return found


def main():
    if sys.argv[1:] == ["--recorded"]:
        print("\n".join(sorted(recorded())))
        return
    options = [argument for argument in sys.argv[1:] if argument.startswith("--")]
    is_static = "--static" in options
    for option in options:
        hooked()[option.removeprefix("--unseen=")] = SILENT[0]
    log_path, *trace_paths = sys.argv[1 + len(options):]
    events, pids = read_events(trace_paths)
    calls = read_log(log_path, pids, is_static)
    problems, compared = [], 0
    for tid in sorted(set(calls) | set(events)):
        if len(calls[tid]) != len(events[tid]):
            problems.append(f"thread {tid}: {len(calls[tid])} calls in the log, {len(events[tid])} in the trace")
        for number, (entry, event) in enumerate(zip(calls[tid], events[tid])):
            compared += 1
            problems += [f"thread {tid} call {number} {entry['function']}: {text}"
                         for text in differences(entry, event)]
    for problem in problems[:20]:
        print(problem)
    print(f"{compared} calls compared, {len(problems)} differences")
    sys.exit(bool(problems) or compared == 0)


if __name__ == "__main__":
    main()
