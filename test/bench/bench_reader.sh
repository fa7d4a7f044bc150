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
