# SPDX-License-Identifier: MIT
"""Compare a report with the program's own stop-watch: judge.py REPORT STOPWATCH CLASS[,CLASS] [HEALTH]

Where the stop-watch has the ends of all steps (ends_ns), the mean is that of the steps that the report counts."""
import json
import sys

POINTS, PERCENT = 3, 3


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main(report, own, classes, health="good"):
    report, truth = load(report), load(own)
    verdict, ratios, steps = report["verdict"], report["ratios"], report["steps"]
    if "unsure" in truth:
        told = [doubt["text"] for doubt in verdict["lowered_by"] if doubt["name"] == "steps"]
        print("doubt: " + "; ".join(told))
        sys.exit(verdict["confidence"] != "low" or not all(name in "".join(told) for name in truth["unsure"]))
    ends, warm = truth.get("ends_ns"), steps["warmup"]
    own = (ends[-1] - ends[warm - 1]) / (len(ends) - warm) if ends else truth["step_ns"]
    off = 100 * (steps["mean_ns"] / (own or steps["mean_ns"]) - 1)
    wanted = truth.get("reader_pct")
    untrue = sorted({finding["rule"] for finding in report["findings"]} & set(truth.get("never", [])))
    paces = [finding["evidence"].split("(")[0] for finding in report["findings"] if finding["rule"] == "input-pipeline"]
    wrong = [text for text, bad in (
        ("class", verdict["class"] not in classes.split(",")),
        ("steps", steps["count"] != truth["steps"]),
        ("mean step", abs(off) > PERCENT),
        ("reader", wanted is not None and abs(ratios["reader_pct"] - wanted) > POINTS),
        ("health", report["health"]["status"] != health),
        (f"pace {paces}", "pace" in truth and paces != [truth["pace"]] * (truth["pace"] is not None)),
        ("findings " + " ".join(untrue), untrue),
    ) if bad]
    print(f"{verdict['class']}/{verdict['cause']}, {steps['count']} of {truth['steps']} steps, waits for data "
          f"{ratios['reader_pct']:.1f} % (stop-watch {'none' if wanted is None else round(wanted, 1)}), mean {off:+.1f} %")
    if wrong:
        print("wrong:", ", ".join(wrong), *report["health"]["reasons"], sep="; ")
    sys.exit(bool(wrong))


main(*sys.argv[1:])
