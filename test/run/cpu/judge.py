# SPDX-License-Identifier: MIT
"""Compare a report (JSON) with the program's own stop-watch: judge.py REPORT STOPWATCH CLASS CAUSE [RULE FUNCTION]"""
import json
import sys

POINTS, PERCENT = 2, 3  # by so much shares, and the mean step, may differ
STRONG = 20  # published: waiting for data for more than this decides, whatever else there is


def main(report, stopwatch, wanted, cause, rule=None, function=None):
    with open(report, encoding="utf-8") as file:
        report = json.load(file)
    with open(stopwatch, encoding="utf-8") as file:
        truth = json.load(file)
    verdict, ratios = report["verdict"], report["ratios"]
    right = {(wanted, cause)}
    if truth["reader_pct"] > STRONG + POINTS:  # workers without a processor are slow
        right = {("io", "idle_input")}
    elif truth["reader_pct"] > STRONG - POINTS:
        right.add(("io", "idle_input"))
    account = {row["cause"]: row["pct"] for row in report["account"]}
    off = 100 * (report["steps"]["mean_ns"] / truth["step_ns"] - 1)
    places = [(found["rule"], found["function"]) for found in report["findings"]]
    wrong = [text for text, bad in (
        ("class", (verdict["class"], verdict["cause"]) not in right),
        ("confidence", verdict["confidence"] == "low"),
        ("steps", report["steps"]["count"] != truth["steps"]),
        ("mean step", abs(off) > PERCENT),
        ("reader", abs(ratios["reader_pct"] - truth["reader_pct"]) > POINTS),
        ("code", account["idle_host"] < truth["code_pct"] - POINTS),
        ("a GPU", ratios["gpu_busy_is"] != "none" or any(row["pct"] for row in report["account"]
                                                         if row["cause"].startswith("device"))),
        ("no finding there", rule is not None and (rule, function) not in places),
    ) if bad]
    print(f"{verdict['class']}/{verdict['cause']}, {report['steps']['count']} steps, reader "
          f"{ratios['reader_pct']:.1f} (stop-watch {truth['reader_pct']:.1f}), code {account['idle_host']:.1f} "
          f"({truth['code_pct']:.1f}), operators {account['host_operators']:.1f}, mean {off:+.1f} %")
    if wrong:
        print("wrong:", ", ".join(wrong), places)
    sys.exit(bool(wrong))


main(*sys.argv[1:])
