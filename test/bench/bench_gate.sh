#!/bin/bash
# Print what compare and check cost beside the reports that they are made from, in instructions, which do not depend
# on the machine: of two runs against two reports, and of two saved reports alone.
set -eu
cd "$(dirname "$0")/../.."
make --no-print-directory build/bench/tracegen build/trace-analyzer >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for run in base new; do
	build/bench/tracegen --events 100000 --out "$work/$run.msgpack.zst" >&2
	build/trace-analyzer report -q --format json --output "$work/$run.json" "$work/$run.msgpack.zst" || [ $? = 3 ]
done
build/trace-analyzer check "$work/base.json" --write-baseline "$work/baseline"
one=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
cost() { # arguments of trace-analyzer; on one processor, where nothing is read ahead
	taskset -c "$one" valgrind --tool=callgrind --callgrind-out-file="$work/counted" build/trace-analyzer "$@" \
		>"$work/said" 2>&1 || [ $? = 3 ] || { cat "$work/said" >&2; return 1; }
	sed -n 's/^\(summary\|totals\): *\([0-9]*\).*/\2/p' "$work/counted" | head -n 1
}
told() { # id, what, value, unit, limit and gate
	awk -v line="$1 $2" -v value="$3" -v unit="$4" -v gate="$5" 'BEGIN {
		print line, value, unit, "limit", gate, "gate", gate, "goal", gate, (value > 0 && value <= gate ? "ok" : "FAIL")
	}'
}
report=$(cost report -q --format json --output "$work/report" "$work/base.msgpack.zst")
compare=$(cost compare -q "$work/base.msgpack.zst" "$work/new.msgpack.zst")
check=$(cost check -q "$work/new.msgpack.zst" --baseline "$work/base.msgpack.zst")
told G1 compare-of-two-runs-against-two-reports "$(awk "BEGIN { print $compare / 2 / $report }")" instr/instr 0.7
told G2 check-of-two-runs-against-two-reports "$(awk "BEGIN { print $check / 2 / $report }")" instr/instr 0.7
# of 2 MB each; 38 million are some 10 ms of a processor
told G3 compare-of-saved-reports "$(cost compare -q "$work/base.json" "$work/new.json" | awk '{ print $1 / 1e6 }')" Minstr 50
told G4 check-of-saved-reports "$(cost check -q "$work/new.json" --baseline "$work/baseline" | awk '{ print $1 / 1e6 }')" Minstr 26
