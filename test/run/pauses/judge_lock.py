# SPDX-License-Identifier: MIT
"""Are the calls that took long covered by waits for the interpreter's lock, with the threads that held it?
usage: judge_lock.py EXPECTED SCRIPT, the lines of `dump` on standard input"""
import json
import sys


def main():
    with open(sys.argv[1]) as file:
        hogs = {int(word) for word in file.readline().split()}
        late = [tuple(int(word) for word in line.split()) for line in file]
    waits = []
    for line in sys.stdin:
        event = json.loads(line)
        if event.get("kind") == "gil":
            place = event["place"]
            waits.append((event["begin_ns"], event["end_ns"], event["fields"]["holder"], place and place["user_file"]))
    if not late:
        return "nothing took long"
    if any(begin < end_before for (begin, *_), (_, end_before, *_) in zip(waits[1:], waits)):
        return "waits of a thread that overlap"
    covered = sum(max(0, min(end, to) - max(begin, since)) for begin, end, *_ in waits for since, to in late)
    total = sum(to - since for since, to in late)
    # The rest is the sleep itself, and the system's when the machine is busy.
    if not 0.6 * total <= covered <= total:
        return "%d of %d ns in long calls are waits" % (covered, total)
    long_ones = [wait for wait in waits if wait[1] - wait[0] > 3000000]
    known = sum(wait[2] in hogs for wait in long_ones)
    if not long_ones or known < 0.9 * len(long_ones):
        return "%d of %d holders are right: %s, not %s" % (known, len(long_ones), {w[2] for w in long_ones}, hogs)
    if {wait[3] for wait in long_ones} != {sys.argv[2]}:
        return "files %s" % {wait[3] for wait in long_ones}
    print("%d waits, %.0f %% of the long calls, %d of %d holders" % (
        len(waits), 100 * covered / total, known, len(long_ones)))
    return None


if __name__ == "__main__":
    sys.exit(main())
