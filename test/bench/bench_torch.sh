#!/bin/bash
# Slow-down of an eager PyTorch training loop by the library: pairs of runs on the simulated device (no
# values computed, kernels of no length, so that every nanosecond is the host's), median of the ratios.
set -eu
cd "$(dirname "$0")/../.."
export CUDASIM_COMPUTE=0 CUDASIM_KERNELS='*=0us' CUDASIM_LAUNCH=3us
if ! test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	echo 'SKIP bench_torch: the wheel is not in the cache (make demo fetches it)'
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { test/cudasim/run env "$@" python3 test/bench/bench_torch.py 1500; }
for ((round = 0; round < ${BENCH_ROUNDS:-5}; round++)); do
	plain=$(step LIBTRACE_ENABLE=0)
	hooks=$(step LD_PRELOAD="$PWD/build/libtrace.so" LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/$round-hooks" \
		LIBTRACE_SOURCES=default,-torch,-python)
	full=$(step LD_PRELOAD="$PWD/build/libtrace.so" LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/$round-full" \
		LIBTRACE_BUDGET=off)
	echo "$plain $hooks $full"
done >"$work/times"
median() { sort -n | awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }'; }
echo "# ns per step: plain $(cut -d ' ' -f 1 "$work/times" | median), calls only $(cut -d ' ' -f 2 \
	"$work/times" | median), all sources $(cut -d ' ' -f 3 "$work/times" | median)"
line() { # id, what, ratio, gate, goal
	awk -v id="$1" -v what="$2" -v value="$3" -v gate="$4" -v goal="$5" 'BEGIN {
		print id, what, value, "ratio limit 1.0 gate", gate, "goal", goal, value <= gate ? "ok" : "FAIL" }'
}
line O1 eager_loop_calls_only "$(awk '{ print $2 / $1 }' "$work/times" | median)" 1.25 1.05
line O2 eager_loop_all_sources "$(awk '{ print $3 / $1 }' "$work/times" | median)" 1.60 1.25
