#!/bin/bash
# Print the figures of the reading side, over traces of 10^5, 10^6 and 10^7 events, without and with
# records of the device.
set -eu
cd "$(dirname "$0")/../.."
build=build
make --no-print-directory build/bench/tracegen build/bench/bench_reader build/trace-analyzer >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. test/bench/count.sh
for events in 100000 1000000 10000000; do
	build/bench/tracegen --events $events --out "$work/$events.msgpack.zst" >&2
	build/bench/tracegen --events $events --device --out "$work/device-$events.msgpack.zst" >&2
done
# A run of eight processes.
mkdir "$work/ranks"
for rank in 0 1 2 3 4 5 6 7; do
	cp "$work/1000000.msgpack.zst" "$work/ranks/host-100$rank.msgpack.zst"
done
build/bench/tracegen --events 2500000 --out "$work/ahead.msgpack.zst" >&2
build/bench/bench_reader build/trace-analyzer "$work"/{100000,1000000,10000000}.msgpack.zst \
	"$work"/device-{100000,1000000,10000000}.msgpack.zst "$work/ranks" "$work/ahead.msgpack.zst"

# In instructions, which do not depend on the machine: all of a report's over those of reading its records
# (reader_next(): decompressing, decoding, checking; the first frame is decompressed when the file is opened), and
# for each event. On one processor, where nothing is decoded ahead. What makes reading cheaper raises the first
# and lowers the second.
if ! command -v valgrind >/dev/null; then
	echo 'SKIP A2 A2d A2b A2db A3 A3c A3d A6m A7i A7pi: no valgrind'
	exit 0
fi
events=400000
one=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
counted() { # arguments of the analyzer; all of it lies in $work/counted
	taskset -c "$one" valgrind --tool=callgrind --callgrind-out-file="$work/counted" build/trace-analyzer "$@" \
		>"$work/said" 2>&1 || [ $? = 3 ]
}
total() {
	sed -n 's/^\(summary\|totals\): *\([0-9]*\).*/\2/p' "$work/counted" | head -n 1
}
each() { # instructions, events
	awk "BEGIN { printf \"%.0f\", $1 / $2 }"
}
bench_report() { # id, trace, gate, goal, id for each event, gate, goal
	counted report --output "$work/report" "$2"
	line "$1" report-against-reading "$(against "$(total)" "$(inclusive "$work/counted" reader_next walk_check_start)")" \
		instr/instr 1 "$3" "$4"
	line "$5" report-for-each-event "$(each "$(total)" $events)" instr/event 436 "$6" "$7"
}
build/bench/tracegen --events $events --out "$work/counted.msgpack.zst" >&2
build/bench/tracegen --events $events --device --out "$work/counted-device.msgpack.zst" >&2
bench_report A2 "$work/counted.msgpack.zst" 2.93 1.8 A3 690 650
bench_report A2d "$work/counted-device.msgpack.zst" 3.12 2.0 A3d 876 650

# Of one recorded within a budget: operators of most steps are carried over from those that have them.
build/bench/tracegen --events $events --budget --out "$work/counted-budget.msgpack.zst" >&2
counted report --output "$work/report" "$work/counted-budget.msgpack.zst"
line A3c report-within-a-budget-for-each-event "$(each "$(total)" $events)" instr/event 436 832 650

# Of traces just large enough for threads: all that the busiest of them does, over decompressing and decoding in
# the one that does that. A report takes that long where each has a processor. How the threads share the work
# depends on which of them is let run, so this is only shown.
bench_busiest() { # id, trace, beside what
	local file most=0 reads=0 count
	rm -f "$work"/thread-*
	valgrind --tool=callgrind --separate-threads=yes --callgrind-out-file="$work/thread" build/trace-analyzer report \
		--output "$work/report" "$2" >"$work/said" 2>&1 || [ $? = 3 ]
	for file in "$work"/thread-*; do
		count=$(sed -n 's/^totals: *//p' "$file")
		[ "$count" -le "$most" ] || most=$count
		count=$(inclusive "$file" decoder_next walk_next)
		[ "${count:-0}" -le "$reads" ] || reads=$count
	done
	echo "$1 busiest-thread-of-a-report-against-decoding $(against "$most" "$reads") instr/instr (no gate: see $3)"
}
if [ "$(nproc)" -lt 2 ]; then
	echo 'SKIP A2b A2db: one processor'
else
	build/bench/tracegen --events 2100000 --out "$work/large.msgpack.zst" >&2
	build/bench/tracegen --events 1650000 --device --out "$work/large-device.msgpack.zst" >&2
	bench_busiest A2b "$work/large.msgpack.zst" A2
	bench_busiest A2db "$work/large-device.msgpack.zst" A2d
fi

# As many events in 64 processes, for each event against those of one.
mkdir "$work/many"
for rank in $(seq 64); do
	build/bench/tracegen --events $((events / 64)) --seed "$rank" --out "$work/many/host-$((1000 + rank)).msgpack.zst" >&2
done
counted report --output "$work/report" "$work/counted.msgpack.zst"
single=$(total)
counted report --output "$work/report" "$work/many"
line A6m sixty-four-processes-against-one "$(against "$(total)" "$single")" instr/instr 1.1 4.85 1.8

# What an export costs for each event, decoding included.
bench_export() { # id, format, gate
	counted export --quiet --plain --format "$2" --output "$work/export" "$work/counted.msgpack.zst"
	line "$1" "$2-export-for-each-event" "$(each "$(total)" $events)" instr/event 283 "$3" 1200
}
bench_export A7i chrome 1295
bench_export A7pi perfetto 1215
