#!/bin/bash
# Old traces stay readable, the generator still makes the same traces, and the Python reader, which
# knows only FORMAT.md, finds what was put into ten of them.
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
make --no-print-directory build/bench/tracegen >&2 || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

python=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import msgpack, zstandard' 2>/dev/null && python=$candidate && break
done

# Every total that was counted when the trace was made, against the reader's.
agree() { # trace, its totals, name
	if [ -z "$python" ]; then
		skip "no Python with msgpack and zstandard: $3"
	elif "$python" - "$1" "$2" <<-'END'; then
		import json, sys
		sys.path.insert(0, "scripts")
		import read_trace
		found = read_trace.Trace(sys.argv[1]).totals()
		expected = json.load(open(sys.argv[2]))
		wrong = [key for key in expected if found[key] != expected[key]]
		for key in wrong:
		    print(key, "is", found[key], "expected", expected[key])
		sys.exit(bool(wrong))
	END
		ok "$3"
	else
		not_ok "$3"
	fi
}

# The analyzer finds as many events of each kind; the fourth word of a line that begins with a time is the kind.
counts() { "${BUILD:-build}/trace-analyzer" dump "$1" | awk '$1 ~ /^\+/ { print $4 }' | sort | uniq -c | awk '{ print $2, $1 }'; }
told() { tr ',{}' '\n\n\n' <"$1" | sed '/duration_ns/q' | sed -n 's/^ *"\([a-z_]*\)": \([0-9][0-9]*\)$/\1 \2/p' | sort; }

for trace in test/golden/*.msgpack.zst; do
	name=${trace%.msgpack.zst}
	agree "$trace" "$name.json" "golden trace $(basename "$name")"
	if [ -n "$(told "$name.json")" ] && [ "$(counts "$trace")" = "$(told "$name.json")" ]; then
		ok "golden trace $(basename "$name") in the analyzer"
	else
		not_ok "golden trace $(basename "$name") in the analyzer: $(diff <(told "$name.json") <(counts "$trace") | head -n 5 | tr '\n' ' ')"
	fi
done

# Each way of being blocked, and what the fields of stacks, locks and marks say.
fields() { "${BUILD:-build}/trace-analyzer" dump test/golden/v1-host.msgpack.zst | grep -c -E " $1"; }
if [ "$(fields 'what=(read|poll|lock|sleep|child|write|flush) medium=(file|pipe|socket|other)')" -ge 10 ] &&
	[ "$(fields 'stack .*thread=1 stack=[1-8] .*part_[0-7]\.py')" = 13 ] && [ "$(fields 'gil .*holder=2')" = 26 ] &&
	[ "$(fields 'mark .*what=(off|stopped)$')" = 13 ] && [ "$(fields 'thread_sample metric=[a-z_]+ thread=1 value=')" = 13 ] &&
	[ "$(fields 'collection .*collected=[0-9]+')" = 26 ]; then
	ok 'what holds the host keeps its fields'
else
	not_ok 'what holds the host lost fields'
fi

for seed in 1 2 3 4 5 6 7 8 9 10; do
	build/bench/tracegen --out "$work/t.zst" --totals "$work/t.json" --seed $seed --events $((seed * 2500)) \
		--threads $((1 + seed % 3)) --loss $((seed % 4)) --sync-every $((seed * 9)) --frame-kb $((64 * seed)) \
		--names $((seed * 40)) || not_ok "tracegen with seed $seed"
	agree "$work/t.zst" "$work/t.json" "generated trace $seed"
done

# A frame whose payload is damaged is passed over, what is around it is still read.
if [ -z "$python" ]; then
	skip 'no Python with msgpack and zstandard: damage'
elif "$python" - "$work/d.zst" <<-'END'; then
	import sys
	sys.path.insert(0, "scripts")
	import read_trace
	data = bytearray(open("test/golden/v1.msgpack.zst", "rb").read())
	second = 64 + int.from_bytes(data[24:28], "little")
	data[second + 100] ^= 4
	open(sys.argv[1], "wb").write(data)
	whole = read_trace.Trace("test/golden/v1.msgpack.zst").totals()
	rest = read_trace.Trace(sys.argv[1]).totals()
	lost = int.from_bytes(data[second + 28:second + 32], "little")
	wanted = sum(whole["events"].values()) - lost
	good = rest["damaged"] == 1 and rest["frames"] == whole["frames"] - 1 and rest["clean_end"]
	sys.exit(not (good and sum(rest["events"].values()) == wanted))
END
	ok 'a damaged frame costs itself only'
else
	not_ok 'a damaged frame costs itself only'
fi

# A trace that is large enough for threads: whatever the number of processors, and each time, the report is the same.
several() { # name, arguments of tracegen
	local name=$1 of=() used cpu processors
	shift
	for cpu in $(taskset -pc $$ | sed 's/.*: //; s/,/ /g'); do
		eval "of+=({${cpu%-*}..${cpu#*-}})" # 0-3 or 5
	done
	build/bench/tracegen "$@" --out "$work/large.zst" >&2 || return
	[ "$(stat -c %s "$work/large.zst")" -gt 8500000 ] || { not_ok "$name is too small for threads" && return; }
	for used in 1 2 3 4 4; do
		[ "$used" -le ${#of[@]} ] || { skip "$name on $used processors" && continue; }
		processors=$(IFS=, && echo "${of[*]:0:used}")
		taskset -c "$processors" "${BUILD:-build}/trace-analyzer" report -q --format json --output "$work/on-$used.json" \
			"$work/large.zst" 2>/dev/null || [ $? = 3 ] || not_ok "$name on $used processors: exit status $?"
		if cmp -s "$work/on-1.json" "$work/on-$used.json"; then
			ok "$name on $used processors"
		else
			not_ok "$name on $used processors: it differs"
		fi
	done
}
several 'a report of calls' --events 2200000 --threads 3 --loss 2 --seed 5
several 'a report of records of the device' --events 1700000 --device --seed 6 --ids 3000

# The content, not the compressed bytes: those may differ between versions of zstd.
sum=$(build/bench/tracegen --out "$work/p.zst" --seed 42 --events 50000 && zstd -qdc "$work/p.zst" | sha256sum)
if [ "${sum%% *}" = "$(cat test/golden/tracegen.sha256)" ]; then
	ok 'the generator makes the pinned bytes'
else
	not_ok "the generator makes other bytes than those pinned: ${sum%% *}"
fi
finish
