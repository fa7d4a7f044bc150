#!/bin/bash
# Bytes per event of a real training trace: PyTorch on the simulated device, all sources on. Some 3.3 of them are events; the
# rest are names, stacks and lines, which a longer run has hardly more of. They depend on the machine's load: the import
# takes longer and is sampled more often, and each second has a frame, whose definitions are its own (4.7 at load 15, 8 at 45).
set -eu
cd "$(dirname "$0")/../.."
if ! test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	echo 'SKIP bench_bytes: the wheel is not in the cache (make demo fetches it)'
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
test/cudasim/run env LD_PRELOAD="$PWD/build/libtrace.so" LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/run" \
	python3 test/gpu/workload.py 400 >"$work/out" 2>"$work/err" || { tail -n 2 "$work/err"; exit 1; }
bytes=$(cat "$work"/run/*.zst | wc -c)
build/trace-analyzer report --format json --output "$work/report.json" "$work/run"
events=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["health"]["events"])' "$work/report.json")
echo "# $events events, $bytes bytes"
awk -v bytes="$bytes" -v events="$events" 'BEGIN {
	value = bytes / events
	print "B2 bytes_per_event_of_a_training_trace", value, "bytes limit 5.0 gate 7.5 goal 4.4", value <= 7.5 ? "ok" : "FAIL" }'
