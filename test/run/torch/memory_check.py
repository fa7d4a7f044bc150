# SPDX-License-Identifier: MIT
"""Compares the table of memory with what memory.py had from PyTorch."""
import json
import sys


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        row, = json.load(file)["tables"]["memory"]
    with open(sys.argv[2], encoding="utf-8") as file:
        truth = json.load(file)
    same = {"allocated_peak_bytes": "allocated_bytes.all.peak", "reserved_peak_bytes": "reserved_bytes.all.peak",
            "allocations": "allocation.all.allocated", "retries": "num_alloc_retries", "out_of_memory": "num_ooms",
            "mallocs": "num_device_alloc", "frees": "num_device_free"}
    wrong = ["%s: %s, not %s" % (ours, row[ours], truth[theirs])
             for ours, theirs in same.items() if row[ours] != truth[theirs]]
    if row["pinned"] < 1 or not 2 <= row["mallocs_steady"] < row["mallocs"]:
        wrong.append("pinned %s, steady %s" % (row["pinned"], row["mallocs_steady"]))
    print("; ".join(wrong) or "peaks of %(allocated_peak_bytes)d and %(reserved_peak_bytes)d bytes, %(allocations)d"
          " allocations, %(retries)d retries, %(mallocs)d mallocs, as they are" % row)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
