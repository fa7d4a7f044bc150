#!/bin/bash
# What recording adds to a training step that is nothing but host work, in instructions of the program's threads, those
# that PyTorch needs in order to call us among them (P5): one process counts steps with calls, lines and operators, all
# of them, and then steps with nothing, so that both have the same memory. It stands for P2 and P4 of bench_peers.sh,
# which are times. Device records are left out: on these threads they are CUPTI's work, here the simulated one's.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. test/bench/count.sh
if ! command -v valgrind >/dev/null || ! test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	echo 'SKIP P5: no valgrind, or the wheel is not in the cache (make demo fetches it)'
	exit 0
fi
gcc -O2 -shared -fPIC -I. -o "$work/bench_operator.so" test/bench/bench_operator.c -ldl || exit 4
sums=$(BENCH_LOOPS=host-bound test/cudasim/run python3 test/bench/bench_cost.py --switched "$library" \
	"$work/bench_operator.so" 2>"$work/err") || { tail -n 2 "$work/err" >&2; exit 4; }
echo "# instructions of a step, recorded and not: $sums"
line P5 step_recorded_over_not "$(awk '$1 > $2 && $2 > 100000 { printf "%.4f", $1 / $2 }' <<<"$sums")" \
	instr/instr 1.0 1.05 1.045
