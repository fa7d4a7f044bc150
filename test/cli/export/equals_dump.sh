# every event of the golden trace, with its own times; what the analyzer adds is in no dump
trace-analyzer export "$ROOT/test/golden/v1.msgpack.zst" >export.json 2>/dev/null
trace-analyzer dump --format json "$ROOT/test/golden/v1.msgpack.zst" >dump.json 2>/dev/null
python3 - <<'END'
import collections, decimal, json
trace = json.load(open("export.json"), parse_float=decimal.Decimal)
items = [json.loads(line) for line in open("dump.json")]
begin = [i for i in items if i["type"] == "map" and i["kind"] == "run"][0]["fields"]["begin_ns"]
right = collections.Counter((i["kind"], i["begin_ns"] - begin, i["end_ns"] - i["begin_ns"]) for i in items if i["type"] == "event")
seen = collections.Counter((e["cat"], int(e["ts"] * 1000), int(e["dur"] * 1000)) for e in trace["traceEvents"] if e["ph"] == "X" and e["cat"] not in ("step", "finding"))
assert seen == right, (seen - right, right - seen)
print(sum(seen.values()) == sum(i["type"] == "event" for i in items))
END
