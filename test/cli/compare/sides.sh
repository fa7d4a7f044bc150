# two runs side by side, in each form; several runs of a side; what cannot be compared
cp "$TRACES"/{training,small}.msgpack.zst .
trace-analyzer report --format json -o base.json training.msgpack.zst
python3 - <<'END'
import json
report = json.load(open("base.json"))
report["steps"]["mean_ns"] += 300000
for line in report["account"]:
    line["ns_per_step"] += {"idle_sync": 250000, "unexplained": 20000}.get(line["cause"], 0)
counts = report["counts"]
for site in counts["sites"]:
    site["line"] += 7
counts["sites"].append(dict(counts["sites"][0], kind="sync", line=99, function="log", op="aten::item", host_ns=30 * 240000))
counts["calls"][0]["count"] += 30
json.dump(report, open("new.json", "w"))
END
trace-analyzer compare base.json new.json
trace-analyzer compare training.msgpack.zst new.json --format markdown | head -n 12
trace-analyzer compare base.json new.json --also-new new.json --also-base base.json --format json | python3 -c '
import json, sys
both = json.load(sys.stdin)
print(both["schema"], both["base"]["runs"], both["new"]["runs"], both["step_ns"], both["explained_ns"], both["unexplained_ns"])
for row in both["sites"]: print(row["state"], row["name"], row["file"], row["line"], row["function"], row["count"])'
trace-analyzer compare base.json base.json | grep -c ': .*new\|gone\|worse\|better'
trace-analyzer compare base.json 2>&1
trace-analyzer compare base.json new.json new.json 2>&1
trace-analyzer compare base.json small.msgpack.zst 2>&1
echo "exit code $?"
# names of any length: no line is longer than the terminal, and none loses a letter
python3 - <<'END'
import json
report = json.load(open("new.json"))
long = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
report["counts"]["sites"] += [dict(report["counts"]["sites"][0], kind="launch", line=100 + at, function="f", op=op, host_ns=30 * ns)
                              for at, (op, ns) in enumerate([("aten::größe of a batch", 9000), (long, 8000), ("void\u00a0" + "x" * 100, 7000)])]
json.dump(report, open("long.json", "w"))
END
trace-analyzer compare base.json long.json >text
python3 - <<'END'
lines = open("text", encoding="utf-8").read().split("\n")
print("longest line", max(map(len, lines)), "blanks at an end", sum(line.endswith(" ") for line in lines))
END
sed -n '/^lines/,/^$/p' text
# and none loses the blank between two words, however long they are
python3 - <<'END'
import json
report = json.load(open("new.json"))
report["findings"] = [dict(report["findings"][0], rule="r" * (1 + at % 7), line=at, op="o" * at) for at in range(1, 99)]
json.dump(report, open("long.json", "w"))
END
trace-analyzer compare base.json long.json >text
python3 - <<'END'
text = open("text").read()
words = " ".join(text.split())
print("longest line", max(map(len, text.split("\n"))), "whole", sum(f" new: {'r' * (1 + at % 7)} train.py:{at}, {'o' * at} " in words
                                                                 for at in range(1, 72)))
END
