# SPDX-License-Identifier: MIT
"""Shares of functions in the samples (a dump) against what the script measured of itself."""
import collections
import re
import sys

LIMIT = 5.0
LEAST = 300

words = open(sys.argv[1], encoding="utf-8").read().split()
truth = {words[i]: 100 * float(words[i + 1]) for i in range(0, 6, 2)}
counts = collections.Counter()
for line in open(sys.argv[2], encoding="utf-8"):
    found = re.search(r" stack .*shares\.py:\d+ (\w+)$", line)
    if found:
        counts["calls" if found[1] == "small" else found[1]] += 1
total = sum(counts[name] for name in truth)
print("%d samples;" % total, end="")
bad = total < LEAST
for name, percent in truth.items():
    share = 100.0 * counts[name] / max(total, 1)
    print(" %s %.1f for %.1f %%" % (name, share, percent), end="")
    bad |= abs(share - percent) > LIMIT
print()
sys.exit(bad)
