# SPDX-License-Identifier: MIT
"""What a dump (--format json) has of calls of NCCL, one line each; those of the threads (no bytes) are counted."""
import json
import sys

FIELDS = ("what", "bytes", "type", "reduction", "peer", "rank", "ranks", "number")
threads = {}
for line in sys.stdin:
    event = json.loads(line)
    if event.get("kind") != "collective" or event["type"] != "event":
        continue
    fields = event["fields"]
    if fields["what"] == "all_gather" and fields["bytes"] == 0:
        threads.setdefault(fields["rank"], []).append(fields["number"])
        continue
    flags = "|".join(fields["flags"]) or "-"
    print(*(fields[name] for name in FIELDS), flags, event["result"], "known" if fields["communicator"] else "-")
if threads:
    right = all(sorted(numbers) == list(range(1, 2001)) for numbers in threads.values())
    print(f"{len(threads)} communicators, {sum(map(len, threads.values()))} calls, numbers {'right' if right else 'wrong'}")
