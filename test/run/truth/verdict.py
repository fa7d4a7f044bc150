#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check a JSON report against what is known to be true of the program.

usage: verdict.py REPORT.json CLASS CAUSE      CLASS and CAUSE may list several, joined by |

Also checks what holds for every report: the account adds up, gains lie within it."""
import json
import sys


def problems(report, classes, causes):
    verdict = report["verdict"]
    if verdict["class"] not in classes:
        yield f"class {verdict['class']}, not {'|'.join(classes)}: {verdict['text']}"
    if verdict["cause"] not in causes:
        yield f"cause {verdict['cause']}, not {'|'.join(causes)}"
    total = sum(row["pct"] for row in report["account"])
    if abs(total - 100) > 1.0:
        yield f"the account adds up to {total} %"
    for finding in report["findings"]:
        gain = finding["gain_pct"]
        if gain is not None and not 0 <= gain <= 100:
            yield f"{finding['rule']} gains {gain} %"


def main():
    path, classes, causes = sys.argv[1:4]
    found = list(problems(json.load(open(path)), classes.split("|"), causes.split("|")))
    for problem in found:
        print(f"{path}: {problem}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
