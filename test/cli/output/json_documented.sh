# what docs/json.md promises is in the report
for kind in training tables yielded; do trace-analyzer report -q --format json "$TRACES/$kind.msgpack.zst" >$kind.json; done
python3 - <<'END'
import json, os, re
seen = set()
def walk(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            seen.add(key)
            walk(inner)
    if isinstance(value, list):
        for inner in value:
            walk(inner)
for kind in ("training", "tables", "yielded"):
    walk(json.load(open(kind + ".json")))
text = open(os.environ["ROOT"] + "/docs/json.md").read().split("\n# The JSON of compare")[0]
rows = re.findall(r"^\| (`[^|]*`) \|", text, re.M)
promised = {key for row in rows for key in re.findall(r"`([a-z0-9_]+)`", row)}
# these stand in reports of other runs
rare = {"phase", "ns", "after_steps", "without", "observed_ns", "on_processor_pct", "waiting_for_processor_pct",
        "blocked_pct", "minor_faults", "major_faults", "voluntary_switches", "involuntary_switches", "storage_read_bytes",
        "loading_ns", "backward_ns", "optimizer_ns", "name", "most", "most_at_a_time", "processors", "asks",
        "asks_left_out", "ready_mean", "none_ready_pct", "own_not_ready_pct", "most_ahead", "prefetch_factor", "take_ns",
        "batch_average_ns", "batch_longest_ns",
        "busy_least_pct", "busy_most_pct", "reserved_peak_bytes", "reserved_last_bytes", "reserved_bytes",
        "part_ns", "refused"}
print(len(promised) > 80, sorted(promised - rare - seen))
END
