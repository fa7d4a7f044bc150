# a database with the sums and counts of the report; the queries that come with it; what is needed for it
run=$TRACES/training.msgpack.zst
trace-analyzer export -q --format sqlite -o run.db "$run"
trace-analyzer export -q --format sqlite -o hostile.db "$TRACES/hostile.msgpack.zst"
trace-analyzer report -q --format json "$run" >report.json
python3 - <<'END'
import glob, json, os, sqlite3
base = sqlite3.connect("run.db")
one = lambda sql: base.execute(sql).fetchone()[0]
report = json.load(open("report.json"))
tables = report["tables"]
kernels = {row["name"]: (row["count"], row["total_ns"]) for row in tables["kernels"]}
assert kernels == {name: (count, ns) for name, count, ns in base.execute(
    "SELECT name, count(*), sum(end_ns - begin_ns) FROM event WHERE kind = 'device_kernel' GROUP BY name")}
print(one("SELECT count(*) FROM step") == report["steps"]["count"] - 1)
print(one("SELECT count(*) FROM finding") == len(report["findings"]))
counted = one("SELECT count(*) FROM event")
print(counted, report["health"]["events"])
print(one("SELECT count(*) FROM event AS o JOIN event AS c ON c.id = o.asked_by AND c.begin_ns <= o.begin_ns"))
for path in sorted(glob.glob(os.environ["ROOT"] + "/scripts/sql/*.sql")):
    rows = base.execute(open(path).read().rstrip().rstrip(";")).fetchall()
    print(os.path.basename(path), len(rows) > 0)
hostile = sqlite3.connect("hostile.db")
print(hostile.execute("SELECT name FROM event").fetchall())
END
trace-analyzer export --format sqlite "$run"
echo $?
trace-analyzer export --format sqlite -o a.db.gz "$run"
echo $?
ln -s /dev/full full.db
trace-analyzer export -q --format sqlite -o full.db "$run"
echo $?
