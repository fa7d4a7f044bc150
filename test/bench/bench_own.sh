#!/bin/bash
# What libtrace says that recording takes on the program's threads, against what it takes there: four training loops on
# the simulated device (W1), with and without operators.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
if [ "${BENCH_TIMES:-}" = shown ]; then
	echo 'SKIP bench_own: times are not judged here'
	exit 0
fi
if ! test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	echo 'SKIP bench_own: the wheel is not in the cache (make demo fetches it)'
	exit 0
fi
test/cudasim/run python3 test/bench/bench_own.py "$(realpath "$build/libtrace.so")" "$(realpath "$build/trace-analyzer")"
