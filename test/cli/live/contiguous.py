"""Check a JSON dump of a run of emit: per thread no gap, no duplicate, and as many events as emit counted."""
import collections
import json
import struct
import sys

counts = struct.unpack("2048Q", open(sys.argv[1], "rb").read(16384)) if len(sys.argv) > 1 else None
sequences, numbers, lost, missing = collections.defaultdict(list), collections.defaultdict(list), 0, 0
for line in sys.stdin:
    item = json.loads(line)
    if item["type"] == "event" and item["kind"] == "call":
        sequences[item["fields"]["name"]].append(item["sequence"])
        numbers[item["fields"]["name"]].append(item["fields"]["value"])
        assert item["call"] == "emit" and item["end_ns"] >= item["begin_ns"] > 0, item
    elif item["type"] == "health":
        lost, missing = lost + item["lost"], missing + item["missing"]
assert missing == 0, f"{missing} missing"
for name, thread in sequences.items():
    assert thread == list(range(thread[0], thread[0] + len(thread))), f"{name}: gap or duplicate"
    assert numbers[name] == sorted(set(numbers[name])), f"{name}: events of another thread"
    if counts:
        # an event may be committed, and not counted yet, at the moment of the kill
        stored = counts[2 * int(name.split()[1])]
        assert stored <= len(thread) <= stored + 1, f"{name}: {len(thread)} events, {stored} made"
if counts:
    stored = {f"thread {i}" for i in range(1024) if counts[2 * i] > 0}
    assert stored <= set(sequences), f"{sorted(stored - set(sequences))}: events made, none found"
    dropped = sum(counts[1::2])
    assert dropped <= lost <= dropped + len(sequences), f"{lost} lost, {dropped} dropped"
print("whole" if sequences else "nothing")
