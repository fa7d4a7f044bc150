# SPDX-License-Identifier: MIT
"""Compares the table of modules with what modules.py noted of itself, and with the other tables."""
import json
import sys


def operators_wrong(tables):
    """What operators gave the device adds up to what it did, also kernel by kernel."""
    rows, beneath = tables["operators"], tables["operator_kernels"]
    if beneath is None:
        return [row["name"] for row in rows if row["device_ns"] is not None]
    sums = {}
    for row in beneath:
        sums[row["operator"]] = sums.get(row["operator"], 0) + row["total_ns"]
    wrong = ["%s: %d of %d under it" % (row["name"], sums.get(row["name"], 0), row["device_self_ns"])
             for row in rows if sums.get(row["name"], 0) != row["device_self_ns"]]
    wrong += ["%s: %d itself of %d" % (row["name"], row["device_self_ns"], row["device_ns"])
              for row in rows if row["device_self_ns"] > row["device_ns"]]
    whole, none = sum(row["total_ns"] for row in tables["gpu_activities"]), sums.get("(no operator)", 0)
    if sum(sums.values()) != whole or none > 0.05 * whole or len(sums) < 5:
        wrong.append("%d of %d under %d operators, %d under none" % (sum(sums.values()), whole, len(sums), none))
    return wrong


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        truth = json.load(file)
    rows = report["tables"]["modules"]
    found = {row["name"] + " " + row["class"]: row["count"] for row in rows}
    wrong = ["%s: %s, not %s" % (key, found.get(key, 0), truth["calls"].get(key, 0))
             for key in sorted(found.keys() | truth["calls"].keys())
             if found.get(key, 0) != truth["calls"].get(key, 0)]
    total = {row["name"]: row for row in rows}
    around = {row["name"] + " " + row["class"]: row["total_ns"] for row in rows}
    for key, ns in truth["times"].items():
        # ours is around theirs: their hooks are inside of the call
        if not ns <= around[key]:
            wrong.append("%s: shorter than PyTorch's hooks saw it" % key)
    net = [row for row in rows if row["name"].split(".")[0] == "Net"]
    for part in ("", "device_"):
        own = sum(row[part + "self_ns"] or 0 for row in net)
        if own != (total["Net"][part + ("ns" if part else "total_ns")] or 0):
            wrong.append("parts of Net are %s%d" % (part, own))
    forward = [row for row in report["tables"]["step_phases"] if row["phase"] == "forward"][0]
    if forward["count"] != 20:
        wrong.append("%d forward passes" % forward["count"])
    device = [total["Net"]["device_ns"], total["MSELoss"]["device_ns"], forward["device_ns"]]
    # the gradient that the backward pass begins with is made before its first function
    if None not in device and not 0 <= device[2] - device[0] - device[1] < 0.1 * device[2]:
        wrong.append("device: %s of modules, %d of the forward pass" % (device[:2], device[2]))
    wrong += operators_wrong(report["tables"])
    # all but the first functions, which are compared before they are believed, have an operator and a line
    behind = [sum(row["backward_device_ns"] or 0 for row in report["tables"][name]) for name in ("operators", "lines")]
    backward = [row for row in report["tables"]["step_phases"] if row["phase"] == "backward"][0]["device_ns"]
    if backward is not None and not (behind[0] == behind[1] and 0.9 * backward < behind[0] <= backward):
        wrong.append("device: %s behind functions, %d of the backward pass" % (behind, backward))
    if not sum(row["backward_count"] or 0 for row in report["tables"]["operators"]) > 300:
        wrong.append("functions without operators")
    print("; ".join(wrong) or "%d calls of %d modules, as they are" % (sum(found.values()), len(found)))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
