#!/bin/bash
# Print the figures of the reading side, over traces of 10^5, 10^6 and 10^7 events, without and with
# records of the device.
set -eu
cd "$(dirname "$0")/../.."
make --no-print-directory build/bench/tracegen build/bench/bench_reader build/trace-analyzer >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for events in 100000 1000000 10000000; do
	build/bench/tracegen --events $events --out "$work/$events.msgpack.zst" >&2
	build/bench/tracegen --events $events --device --out "$work/device-$events.msgpack.zst" >&2
done
build/bench/bench_reader build/trace-analyzer \
	"$work"/{100000,1000000,10000000}.msgpack.zst "$work"/device-{100000,1000000,10000000}.msgpack.zst

# The same in instructions, which do not depend on the machine: all of a report's over those of
# reading its records (reader_next(): decompressing, decoding, checking).
count() { # id, trace, gate
	valgrind --tool=callgrind --callgrind-out-file="$work/counted" build/trace-analyzer report \
		--output "$work/report" "$2" >/dev/null 2>&1 || [ $? = 3 ]
	callgrind_annotate --inclusive=yes --threshold=100 "$work/counted" | awk -v id="$1" -v gate="$3" '
		{ gsub(",", "", $1) }
		/PROGRAM TOTALS/ { all = $1 }
		/:reader_next / && reading == 0 { reading = $1 }
		END {
			ratio = reading > 0 ? all / reading : 0
			print id, "report-instructions-against-reading", ratio, "instr/instr limit 1 gate", gate,
				"goal 1.8", (ratio > 0 && ratio <= gate ? "ok" : "FAIL")
		}'
}
for kind in '' --device; do
	# shellcheck disable=SC2086 # a word or nothing
	build/bench/tracegen --events 400000 $kind --out "$work/counted$kind.msgpack.zst" >&2
done
count A2i "$work/counted.msgpack.zst" 3.2
count A2di "$work/counted--device.msgpack.zst" 3.4
