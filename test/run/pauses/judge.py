# SPDX-License-Identifier: MIT
"""Compares the collections of a trace (JSON lines of `dump`) with what the program saw.
usage: judge.py EXPECTED SCRIPT [loose], the lines on standard input; loose: of several threads or interpreters, so that
neither the order nor the interpreter's count is that of the program, and times are not compared"""
import json
import statistics
import sys


def main():
    loose = len(sys.argv) > 3
    with open(sys.argv[1]) as file:
        first = [int(word) for word in file.readline().split()]
        seen = [tuple(int(word) for word in line.split()) for line in file]
    found, lines = [], set()
    for line in sys.stdin:
        event = json.loads(line)
        # The interpreter's own, when it begins and when it ends, have no line.
        if event.get("kind") != "collection" or event["place"] is None:
            continue
        fields = event["fields"]
        found.append((fields["generation"], fields["collected"], event["end_ns"] - event["begin_ns"]))
        lines.add(event["place"]["user_file"])
    if first[0] != 1:
        return "the function stands %d times in gc.callbacks" % first[0]
    counts = [sum(generation == one[0] for one in seen) for generation in range(len(first) - 1)]
    if not loose and counts != first[1:]:
        return "the program saw %s, the interpreter counted %s" % (counts, first[1:])
    what = [[one[:2] for one in some] for some in (found, seen)]
    if loose:
        what = [sorted(some) for some in what]
    if what[0] != what[1]:
        return "%d collections in the trace, %d seen: %s, %s" % (len(found), len(seen), found[:5], seen[:5])
    if lines and lines != {sys.argv[2]}:
        return "files %s" % lines
    ours, own = (statistics.median(one[2] for one in some) for some in (found, seen))
    # A busy machine stops the program between the two clocks now and then, so one by one, and not the sums.
    apart = 0 if loose else statistics.median(abs(one[2] - other[2]) for one, other in zip(found, seen))
    if apart > own * 0.05 + 20000:
        return "median %d ns in the trace, %d seen, %d apart" % (ours, own, apart)
    print("%d collections, median %.1f us, %.1f by its own clock" % (len(found), ours / 1e3, own / 1e3))
    return None


if __name__ == "__main__":
    sys.exit(main())
