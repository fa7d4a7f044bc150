# the reader in scripts/ was written from FORMAT.md alone: same count of events per kind
trace-analyzer dump --format json "$ROOT/test/golden/v1.msgpack.zst" >dump.json 2>/dev/null
python=python3
[ -x /usr/bin/python3 ] && python=/usr/bin/python3
$python - dump.json "$ROOT/test/golden/v1.json" <<'END'
import collections, json, sys
events, times = collections.Counter(), collections.Counter()
for line in open(sys.argv[1]):
    item = json.loads(line)
    if item["type"] == "event":
        events[item["kind"]] += 1
        times[item["kind"]] += item["end_ns"] - item["begin_ns"]
golden = json.load(open(sys.argv[2]))
assert dict(events) == golden["events"], (events, golden["events"])
assert dict(times) == golden["duration_ns"], (times, golden["duration_ns"])
END
