#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check a JSON report against what is known to be true of the program.

usage: verdict.py REPORT.json CLASS CAUSE

Also checks what holds for every report: the account adds up, gains lie within it."""
import json
import sys


def problems(report, wanted_class, wanted_cause):
    verdict = report["verdict"]
    if verdict["class"] != wanted_class:
        yield f"class {verdict['class']}, not {wanted_class}: {verdict['text']}"
    if verdict["cause"] != wanted_cause:
        yield f"cause {verdict['cause']}, not {wanted_cause}: {verdict['text']}"
    total = sum(row["pct"] for row in report["account"])
    if round(total, 6) != 100:  # tenths of a percent that are made to add up
        yield f"the account adds up to {total} %"
    for finding in report["findings"]:
        gain = finding["gain_pct"]
        if gain is not None and not 0 <= gain <= 100:
            yield f"{finding['rule']} gains {gain} %"


def main():
    path, wanted_class, wanted_cause = sys.argv[1:4]
    found = list(problems(json.load(open(path)), wanted_class, wanted_cause))
    for problem in found:
        print(f"{path}: {problem}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
