#!/bin/bash
# What recording costs two training loops on the simulated device, beside what other profilers cost them.
set -eu
cd "$(dirname "$0")/../.."
if [ "${BENCH_TIMES:-}" = shown ]; then
	echo 'SKIP bench_peers: times are not judged here'
	exit 0
fi
if ! test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	echo 'SKIP bench_peers: the wheel is not in the cache (make demo fetches it)'
	exit 0
fi
packages=$(test/cudasim/run python3 test/programs/libraries.py test/bench/needs.txt 2>/dev/null) || packages=
[ -n "$packages" ] || echo '# VizTracer and py-spy cannot be fetched, so they are not in the table'
test/cudasim/run python3 test/bench/bench_peers.py "$(realpath "${BUILD:-build}/libtrace.so")" "$packages"
