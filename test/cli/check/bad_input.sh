# what must never pass: each says what is wrong
cp "$TRACES"/{training,small,lost,waits}.msgpack.zst .
trace=training.msgpack.zst
trace-analyzer check "$trace" --write-baseline base
attempt() {
	trace-analyzer check "$@" 2>&1
	echo "exit code $?"
}
head -n 12 base >cut
attempt "$trace" -b cut
sed '/^total/i site nonsense' base >unknown
attempt "$trace" -b unknown
sed 's/^total copies = /total copied = /' base >total
attempt "$trace" -b total
sed 's/^site launches /site lunches /' base >site
attempt "$trace" -b site
sed 's/^total copies = .*/&\n&/' base >twice
attempt "$trace" -b twice
sed 's/^run program = .*/run program = other.py/' base >other
attempt "$trace" -b other
sed 's/^run world_size = .*/run world_size = 8/' base >world
attempt "$trace" -b world
sed 's/^run framework = .*/run framework = paddle/' base >framework
attempt "$trace" -b framework
sed 's/^version .*//; s/^run steps.*/&\nversion torch = 0.1/' base >version
attempt "$trace" -b version
attempt "$trace" -b nowhere
attempt small.msgpack.zst -b base
attempt lost.msgpack.zst -b base
attempt "$trace" waits.msgpack.zst -b base
attempt "$trace" -b base --times
echo '{"schema": "libtrace-report/1"' >broken.json
attempt broken.json -b base
sed '/^total/i sums syncs = 1/30' base >name
attempt "$trace" -b name
sed 's/^\(total copies = .*\)$/\1 most x/' base >most
attempt "$trace" -b most
sed '1i <<<<<<< HEAD' base >conflict
attempt "$trace" -b conflict
# reports that are whole, of runs that are not
trace-analyzer report --format json -o good.json "$trace"
changed() { # what is assigned in the report
	python3 -c 'import json, sys
report = json.load(open("good.json"))
exec(sys.argv[1])
json.dump(report, open("changed.json", "w"))' "$1"
	attempt changed.json -b base
	trace-analyzer check changed.json --write-baseline never 2>/dev/null
	trace-analyzer compare changed.json good.json 2>&1 | head -n 1
}
changed 'report["health"]["lost"] = 3'
changed 'report["counts"]["steps"] = 0'
changed 'report["health"]["status"] = "bad"'
changed 'del report["counts"]'
changed 'report["schema"] = "libtrace-report/2"'
[ ! -e never ] && echo "none of them is a baseline"
