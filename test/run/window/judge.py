# SPDX-License-Identifier: MIT
"""Does a trace hold exactly the steps that were asked for, with their numbers?

usage: judge.py ANALYZER TRACE OUTPUT FIRST LAST MARKS_PER_STEP    MARKS_PER_STEP 0: by the loader
OUTPUT is what program.py printed."""
import ast
import json
import subprocess
import sys


def main():
    analyzer, trace, output, first, last, marks = *sys.argv[1:4], *map(int, sys.argv[4:7])
    with open(output, encoding="utf-8") as file:
        ends = dict(ast.literal_eval(file.read()))
    lines = subprocess.run([analyzer, "dump", "-q", "-f", "json", trace], capture_output=True, text=True, check=True)
    events = [json.loads(line) for line in lines.stdout.splitlines()]
    told = json.loads(subprocess.run([analyzer, "report", "-q", "-f", "json", trace], capture_output=True, text=True,
                                     check=False).stdout)["steps"]
    launches = [event for event in events if event.get("kind") == "launch"]
    steps = [event for event in events if event.get("kind") == "op" and
             event["fields"]["name"].startswith("Optimizer.step#")]
    wrong = []
    if marks and len(steps) != marks * (last - first + 1):
        wrong.append(f"{len(steps)} steps of optimisers are recorded, {marks} x {last - first + 1} wanted")
    begin = ends[first - 1] if first else 0
    outside = [event for event in launches if not begin <= event["end_ns"] <= ends[last]]
    # between the optimiser's end, or the next batch, and the stamp nothing is launched
    if outside:
        wrong.append(f"{len(outside)} of {len(launches)} launches are of other steps")
    for at, step in enumerate(steps):
        number = first + at // marks if marks else 0
        if not (ends[number - 1] if number else 0) <= step["end_ns"] <= ends[number]:
            wrong.append(f"the optimiser's step {at} is not of step {number}")
            break
    total = len(ends)
    if not total - 1 <= told["count"] <= total or (marks and told["count"] != total):
        wrong.append(f"{told['count']} steps are counted, {total} were made")
    missing = total - (last - first + 1)
    if abs(told["not_recorded"] - missing) > (0 if marks else 1):
        wrong.append(f"{told['not_recorded']} are said not to be recorded, {missing} are not")
    if not 0 < told["steady"] <= last - first + 1:
        wrong.append(f"{told['steady']} steady steps")
    print("; ".join(wrong) or f"{len(launches)} launches of steps {first} to {last} of {told['count']}")
    sys.exit(bool(wrong))


main()
