#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that a trace holds the device operations that a program says it asked for.

usage: check_counts.py EXPECTED TRACE...     EXPECTED has lines "NAME COUNT"; other operations may be there"""
import sys

import compare_profiler


def main():
    rows = compare_profiler.trace_rows(sys.argv[2:], AllOf())
    expected = [line.rsplit(" ", 1) for line in open(sys.argv[1], encoding="utf-8").read().splitlines()]
    wrong = [f"{name}: {rows.get(name, [0])[0]} instead of {count}"
             for name, count in expected if rows.get(name, [0])[0] != int(count)]
    print("\n".join(wrong) or f"{len(expected)} names as often as asked for")
    sys.exit(bool(wrong) or not expected)


class AllOf(dict):
    """Every name, as often as it is there."""

    def __contains__(self, name):
        return True

    def __getitem__(self, name):
        return [sys.maxsize, 0]


if __name__ == "__main__":
    main()
