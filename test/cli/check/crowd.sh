# a hundred thousand lines, half of them in one function: one that does more is found
trace-analyzer report --format json -o one.json "$TRACES/training.msgpack.zst"
python3 - <<'END'
import json
report = json.load(open("one.json"))
counts = report["counts"]
about = dict(counts["sites"][0], kind="launch", op="aten::add", count=counts["steps"], most_count=1)
counts["sites"] = [dict(about, line=number + 1, function=f"f{max(0, number - 50000)}", source=f"x{number} = y")
                   for number in range(100000)]
open("many.json", "w").write(json.dumps(report))
counts["sites"][77777]["count"] += 1
open("more.json", "w").write(json.dumps(report))
END
trace-analyzer check many.json --write-baseline many
grep -c '^site launches' many
trace-analyzer check more.json -b many 2>&1 | sed 's/ of [0-9]* rows/ of so many rows/'
trace-analyzer compare many.json more.json | grep 'train.py:77778'
