# SPDX-License-Identifier: MIT
"""Compares the table of compiled regions and the findings of a run of compiled.py with what Dynamo counted:
compiled_check.py REPORT FILE breaks|whole"""
import json
import sys


def main():
    report, truth = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
    broken, wrong = sys.argv[3] == "breaks", []
    rows = report["tables"]["compiled"]
    found = {key: sum(row[key] for row in rows) for key in ("compilations", "recompilations", "break_compilations")}
    if found != {"compilations": truth["compiled"], "recompilations": truth["compiled"] - len(rows),
                 "break_compilations": truth["breaks"]} or bool(truth["breaks"]) != broken:
        wrong.append("%s, Dynamo: %s" % (found, truth))
    if [row["count"] for row in rows] != [truth["steps"]] * (4 if broken else 2):
        wrong.append("calls: %s" % [row["count"] for row in rows])
    inside = [(row["frame"], row["around"], row["line"]) for row in rows if row["around"] is not None]
    if inside != ([(1, 0, truth["lines"][0]), (2, 1, truth["lines"][1])] if broken else []):
        wrong.append("regions within others: %s" % inside)
    findings = {f["rule"]: f for f in report["findings"] if f["rule"] in ("graph-break", "recompile")}
    if set(findings) != ({"graph-break", "recompile"} if broken else set()):
        wrong.append("findings: %s" % sorted(findings))
    elif broken:
        told = findings["graph-break"]
        if told["line"] not in truth["lines"] or not 1.9 < told["calls_per_step"] < 2.1:
            wrong.append("breaks told at %s, %s a step" % (told["line"], told["calls_per_step"]))
        if any(":%d" % line not in told["evidence"] for line in truth["lines"]):
            wrong.append("evidence: %s" % told["evidence"])
    print("; ".join(wrong) or "%(compilations)d compilations, %(break_compilations)d breaks of them, as Dynamo counts" % found)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
