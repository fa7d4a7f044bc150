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
