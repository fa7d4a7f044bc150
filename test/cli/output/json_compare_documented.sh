# what docs/json.md says of compare is all that compare prints, and it prints all of that; docs/gate.md the same of check
trace-analyzer report -q --format json -o base.json "$TRACES/training.msgpack.zst"
python3 - <<'END'
import json
report = json.load(open("base.json"))
site = report["counts"]["sites"][0]
report["counts"]["sites"].append(dict(site, line=50, op="aten::item", source="x.item()", count=7))
for table in ("operators", "kernels", "copies", "calls"):
    report["counts"][table].append({"name": "other", "direction": "other", "count": 60, "host_ns": 60, "bytes": 60})
json.dump(report, open("new.json", "w"))
# with another rank, which has not changed
base = json.load(open("base.json"))
rank = {"rank": 7, **{part: base[part] for part in ("health", "steps", "counts")}}
for name, document in (("base", base), ("new", report)):
    json.dump({**document, "other_ranks": [rank]}, open(f"{name}-ranks.json", "w"))
END
trace-analyzer compare --format json base-ranks.json new-ranks.json >compare.json
for run in 1 2 3 4 5; do cp new.json "new$run.json"; done
base=$(printf -- '-b new%d.json ' 1 2 3 4 5)
trace-analyzer check new?.json $base --format json --max syncs=0 >check.json
python3 - <<'END'
import json, os, re

def keys_of(value):
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_of(inner)

def told(text):
    return set(re.findall(r"[`\"]([a-z][a-z0-9_]*)[`\"]", text))

def lists(name, ends):
    text = open(os.path.join(os.environ["ROOT"], "docs", name)).read()
    return text.split(ends[0])[1].split(ends[1])[0]

compare = lists("json.md", ("# The JSON of compare\n", "\n# "))
words = {"new", "gone", "worse", "better", "same", "sync", "copy_in"}  # values
seen = set(keys_of(json.load(open("compare.json"))))
print("compare:", sorted(seen - told(compare)), sorted(told(compare) - seen - words))
seen = set(keys_of(json.load(open("check.json"))))
check = told(lists("gate.md", ("## Forms\n", "\n## ")))
forms = {"text", "markdown", "junit", "sarif", "json"}
print("check:", sorted(seen - check), sorted(check - seen - forms))
END
