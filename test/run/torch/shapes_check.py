# SPDX-License-Identifier: MIT
"""Compares shapes in a recording of shapes.py with those of PyTorch's profiler, and the table with the trace."""
import collections
import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../scripts"))
import read_trace

TYPES = {"float": "float32", "double": "float64", "long int": "int64", "int": "int32", "bool": "bool",
         "c10::Half": "float16", "c10::BFloat16": "bfloat16", "unsigned char": "uint8", "signed char": "int8"}
TENSOR = re.compile(r"([a-z0-9]+)\[([0-9, ]*)\](?: x ([0-9]+))?$")


def inputs_of(text):
    """The inputs of a text, lists as lists; each tensor as (type, sizes), what is none as None."""
    found = []
    for part in re.findall(r"\([^)]*\)|[a-z0-9]+\[[^\]]*\](?: x [0-9]+)?|-(?: x [0-9]+)?|\?", text):
        if part[0] == "(":
            found.append(inputs_of(part[1:-1]))
        elif part[0] in "-?":
            found += [None if part[0] == "-" else "?"] * int(part[4:] or 1)
        else:
            kind, sizes, count = TENSOR.match(part).groups()
            found += [(kind, tuple(int(size) for size in sizes.split(",") if size.strip()))] * int(count or 1)
    return found


def plain(sizes):
    """Sizes as PyTorch's profiler has them, without what is nothing at the end."""
    while sizes and not sizes[-1]:
        sizes = sizes[:-1]
    return json.dumps(sizes)


def ours_as_theirs(inputs, lists):
    return [[list(part[1]) if part else [] for part in item] if isinstance(item, list) and lists else
            list(item[1]) if isinstance(item, tuple) else [] for item in inputs]


def check_table(report, events):
    wrong, table = [], report["tables"]["operators_by_shape"]
    counted = collections.Counter((e["name"], e["shapes"]) for e in events if e["shapes"])
    wide = any(row["name"] == "others" for row in table)
    if not wide and {(row["name"], row["shapes"]): row["count"] for row in table} != dict(counted):
        wrong.append("the table has %d rows, the trace %d" % (len(table), len(counted)))
    if sum(row["count"] for row in table) != sum(counted.values()):
        wrong.append("the table has not all operators")
    whole = {row["name"]: row for row in report["tables"]["operators"]}
    compared = 0
    for name in {row["name"] for row in table if row["name"] != "others"} if not wide else ():
        rows = [row for row in table if row["name"] == name]
        if sum(row["count"] for row in rows) != whole[name]["count"]:
            continue  # the first ones have none
        compared += 1
        for key in ("self_ns", "total_ns", "device_self_ns", "device_ns"):
            if sum(row[key] or 0 for row in rows) != (whole[name][key] or 0):
                wrong.append("%s of %s by shape is not that of all" % (key, name))
    if not wide and compared < 20:
        wrong.append("only %d operators have a shape each time" % compared)
    return wrong


def check_flops(report, noted):
    """Each operation counted as PyTorch's profiler does, where both do."""
    rows = {(row["name"], plain(ours_as_theirs(inputs_of(row["shapes"]), False))): row["flops"] / row["count"]
            for row in report["tables"]["operators_by_shape"] if row["flops"]}
    theirs = {(name, plain(dims)): flops for name, dims, flops in noted if name != "aten::conv2d"}
    # of a sum it has the size of the first one, and of both what the result has
    broadcast = {key for key in theirs if key[0] in ("aten::add", "aten::mul") and key[1].count("[") > 2}
    wrong = ["%s is %s operations, not %s" % (*key, rows.get(key), flops) for key, flops in theirs.items()
             if key not in broadcast and rows.get(key) != flops]
    names = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::mul"} - {name for name, _ in set(theirs) - broadcast}
    return wrong + ["operations of %s were not compared" % name for name in names]


def main():
    folder, truth_path, report_path = sys.argv[1:4]
    with open(truth_path, encoding="utf-8") as file:
        truth = json.load(file)
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    wrong = []
    if report["run"]["sources"].get("shapes") != "active":
        wrong.append("shapes are %s" % report["run"]["source_reasons"].get("shapes"))
    for path in glob.glob(folder + "/*.zst"):
        trace = read_trace.Trace(path)
        events = [event for event in trace.events() if event["kind"] == "op"]
        region = [event for event in events if event["name"] == "the region"]
        if region:
            break
    begin, end = region[0]["begin"], region[0]["end"]
    inner = [e for e in events if e["begin"] >= begin and e["end"] <= end and e["scope"] in (0, 1, 2)]
    listed = {name for name, dims, _ in truth["events"] if any(d and isinstance(d[0], list) for d in dims)}
    theirs = collections.Counter((name, plain(dims)) for name, dims, _ in truth["events"])
    ours = collections.Counter((e["name"], plain(ours_as_theirs(
        inputs_of(e["shapes"]), e["name"] in listed))) for e in inner)
    told = any(told for _, _, told in truth["events"])
    if not told:  # without Kineto an operator within its like is left out, and a range brings operators of its own
        own = [key for key in theirs if key[0] in ("aten::zeros", "aten::empty", "aten::zero_")]
        ours, theirs = [collections.Counter(set(x) - set(own)) for x in (ours, theirs)]
    if ours != theirs or len(ours) < 100:
        wrong.append("shapes differ: ours %s, PyTorch's %s" % (dict(ours - theirs), dict(theirs - ours)))
    if not any(d for _, dims, _ in truth["events"] for d in dims if len(d) == 7):
        wrong.append("nothing has seven dimensions")
    types = [collections.Counter(), collections.Counter()]
    for event in inner:
        for item in inputs_of(event["shapes"]):
            if isinstance(item, tuple):
                types[0][event["name"], item[0]] += 1
    for name, dims, told in truth["events"]:
        for kind in told or ():
            if kind in TYPES:
                types[1][name, TYPES[kind]] += 1
    if (told and types[0] != types[1]) or len({kind for _, kind in types[0]}) < 7:
        wrong.append("types differ: %s, PyTorch's %s" % (dict(types[0] - types[1]), dict(types[1] - types[0])))
    if any("?" in e["shapes"] for e in inner):
        wrong.append("a plain tensor is told as another")
    if not any(e["shapes"] == "(one of more shapes than are kept)" for e in events):
        wrong.append("all of 13,000 shapes are kept")
    wrong += check_table(report, events)
    if told:
        wrong += check_flops(report, truth["flops"])
    known = sum(1 for e in inner if e["shapes"])
    print("; ".join(wrong)[:3000] or "%d operators, %d with other inputs, as torch.profiler has them" % (known, len(ours)))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
