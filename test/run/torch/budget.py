# SPDX-License-Identifier: MIT
"""Two reports of one loop, the first with operators in all steps, the second with LIBTRACE_BUDGET: what was
recorded in some steps only says so, and nothing else differs. usage: budget.py ALL.json SOME.json"""
import json
import sys

EXACT = ("launches", "graph_launches", "copies", "to_device_bytes", "to_host_bytes", "syncs", "operators")
FIRST = 48  # steps that have all operators


def per_step(report):
    counts = report["counts"]
    return {name: counts["totals"][name] / counts["steps"] for name in EXACT}


def lines(report):
    """Of what launches, two lines cost nearly the same, and either may be the first."""
    return {(finding["rule"], finding["line"] if finding["rule"] == "sync-scalar-read" else None)
            for finding in report["findings"] if finding["rule"] in ("sync-scalar-read", "launch-bound")}


def main(paths):
    every, some = (json.load(open(path, encoding="utf-8")) for path in paths)
    operators = some["steps"]["operators"]
    assert every["steps"]["operators"] is None, every["steps"]["operators"]
    assert FIRST <= operators["steps"] < operators["of"] == some["steps"]["count"], operators
    assert operators["calls_without"] > 0, operators
    assert operators["carried_over"] == operators["calls_without"], operators
    assert some["counts"]["operator_steps"] < some["counts"]["steps"] == every["counts"]["operator_steps"]
    assert per_step(every) == per_step(some), (per_step(every), per_step(some))
    names = [{row["name"]: row["count"] for row in report["counts"]["operators"]} for report in (every, some)]
    assert names[0] == names[1], set(names[0].items()) ^ set(names[1].items())
    assert every["verdict"]["class"] == some["verdict"]["class"], some["verdict"]
    assert lines(every) == lines(some), (lines(every), lines(some))
    assert every["between_steps"] == some["between_steps"] == [], some["between_steps"]
    print(f"{operators['steps']} of {operators['of']} steps have their operators, the same figures")


main(sys.argv[1:])
