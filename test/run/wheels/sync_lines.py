#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Check that a report names exactly the lines of a script that wait for the device.

usage: sync_lines.py SCRIPT REPORT.json      lines are marked "# sync" and "# nosync" in the script"""
import json
import pathlib
import re
import sys


def main():
    script, report = pathlib.Path(sys.argv[1]), json.load(open(sys.argv[2]))
    lines = script.read_text().splitlines()
    waits = {i for i, line in enumerate(lines, 1) if re.search(r"#\s*sync\b", line)}
    named = {finding["line"] for finding in report["findings"] if finding["rule"].startswith(("sync-", "copy-"))
             and pathlib.Path(finding["file"] or "").name == script.name}
    for line in sorted(waits - named):
        print(f"not named: {script}:{line}: {lines[line - 1].strip()}")
    for line in sorted(named - waits):
        print(f"wrongly named: {script}:{line}: {lines[line - 1].strip()}")
    print(f"{len(waits & named)} of {len(waits)} lines that wait are named")
    sys.exit(len(waits) < 10 or named != waits)


if __name__ == "__main__":
    main()
