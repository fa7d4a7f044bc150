# runs of several ranks, as saved reports: each rank against the same one, what one alone does, other ranks on a side
cp "$TRACES"/training.msgpack.zst .
trace-analyzer report --format json -o one.json training.msgpack.zst
cat >ranks.py <<'END'
import copy, json
report = json.load(open("one.json"))
parts = "health", "steps", "ratios", "account", "verdict", "findings", "counts"
def rank_of(rank):
    return {"rank": rank, **copy.deepcopy({part: report[part] for part in parts})}
def write(name, ranks, change=lambda others: None, **run):
    whole = copy.deepcopy(report)
    process = whole["run"]["processes"][0]
    whole["run"].update({"world_size": len(ranks), "ranks": ranks, **run}, analysed_pid=ranks[0],
                        processes=[{**process, "pid": rank, "rank": rank} for rank in ranks])
    whole["other_ranks"] = [rank_of(rank) for rank in ranks[1:]]
    change(whole["other_ranks"])
    json.dump(whole, open(name, "w"))
def slower(others):
    for other in others[:1]:
        other["steps"]["mean_ns"] += 300000
        next(line for line in other["account"] if line["cause"] == "idle_sync")["ns_per_step"] += 290000
    for other in others[:2]:
        sites = other["counts"]["sites"]
        sites.append(dict(sites[0], kind="sync", line=99, function="log", op="aten::item", host_ns=30 * 240000))
write("base.json", [0, 1, 2, 3])
write("new.json", [0, 1, 2, 3], slower)
write("three.json", [0, 1, 2])
write("lost.json", [0, 1, 2, 3], lambda others: others[1]["health"].update(lost=3))
write("unread.json", [0, 1, 2], unread_files=1, world_size=4)
write("twice.json", [0, 1, 2, 3], lambda others: others[1].update(rank=1))
write("mixed.json", [2, 0, 1])
END
python3 ranks.py
attempt() {
	"$@" 2>&1
	echo "exit code $?"
}
trace-analyzer compare base.json new.json | sed -n '1,2p; /^rank by rank/,$p'
trace-analyzer compare base.json base.json | tail -n 1
trace-analyzer compare base.json new.json --format markdown | sed -n '/^#### rank by rank/,$p'
trace-analyzer compare base.json new.json --also-base base.json --format json | python3 -c '
import json, sys
both = json.load(sys.stdin)
print(both["base"]["world_size"], both["base"]["rank"], both["base"]["runs"], [rank["rank"] for rank in both["other_ranks"]])
for row in both["uneven"]: print(row["part"], row["ranks"], row["state"], row["name"], row["line"], row["count"])'
attempt trace-analyzer compare base.json three.json | grep '^trace-analyzer\|ranks are\|exit'
attempt trace-analyzer compare lost.json new.json | grep '^trace-analyzer\|ranks are\|exit'
attempt trace-analyzer compare one.json new.json | grep '^trace-analyzer\|ranks are\|exit'
trace-analyzer compare mixed.json three.json | head -n 1
# the gate has all of them from a report, too
trace-analyzer check base.json --write-baseline ranks
grep '^run ranks' ranks
attempt trace-analyzer check base.json -b ranks
attempt trace-analyzer check new.json -b ranks
attempt trace-analyzer check three.json -b ranks
attempt trace-analyzer check lost.json -b ranks
attempt trace-analyzer check unread.json -b ranks
attempt trace-analyzer check twice.json -b ranks
