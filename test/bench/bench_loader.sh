#!/bin/bash
# What recording takes of the rate of a DataLoader with four workers and a cheap dataset (L3): instructions for each
# batch, in the process that draws and in the workers, with the library and without. It is more than the rate loses: what
# the kernel does for a batch is on both sides and not counted, and under valgrind every read and wait lasts so long that
# its line and its file are looked up. In L3t recording is switched on and off in turn in five processes that run on.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. test/bench/count.sh
if [ "${BENCH_TIMES:-}" = shown ]; then
	echo 'SKIP L3: counting in five processes takes minutes'
	exit 0
fi
if ! command -v valgrind >/dev/null || ! test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	echo 'SKIP L3: no valgrind, or the wheel is not in the cache (make demo fetches it)'
	exit 0
fi
gcc -O2 -shared -fPIC -I. -o "$work/bench_operator.so" test/bench/bench_operator.c -ldl || exit 4
readonly BATCHES=120

# Those of threads on which Python runs, of all processes.
instructions() { # folder
	find "$1" -name 'counted*-*' -exec grep -lZ _PyEval_EvalFrameDefault {} + | xargs -0 sed -n 's/^totals: //p' |
		awk '{ sum += $1 } END { print sum + 0 }'
}
process() { # name, library or nothing, batches
	rm -rf "$LIBTRACE_OUT"
	mkdir -p "$work/$1-$3"
	test/cudasim/run env LD_PRELOAD="$2" OMP_NUM_THREADS=1 valgrind --tool=callgrind --instr-atstart=no \
		--separate-threads=yes --trace-children=yes --callgrind-out-file="$work/$1-$3/counted.%p" \
		python3 test/bench/bench_loader.py count "$work/bench_operator.so" "$3" >"$work/log" 2>&1 ||
		{ tail -n 2 "$work/log" >&2; return 1; }
	instructions "$work/$1-$3"
}
batch() { # name, library or nothing
	local few many
	few=$(process "$1" "$2" $BATCHES) && many=$(process "$1" "$2" $((2 * BATCHES))) &&
		awk "BEGIN { printf \"%.0f\", ($many - $few) / $BATCHES }"
}

bare=$(batch bare '')
with=$(batch with "$library")
echo "# a batch takes ${bare:-?} instructions without, ${with:-?} with"
found=$("$build/trace-analyzer" dump "$LIBTRACE_OUT"/*.zst 2>"$work/err" | grep -c 'name=enumerate(DataLoader)')
if [ "$found" -lt $((2 * BATCHES)) ]; then
	echo "# only $found of $((2 * BATCHES)) batches are in the trace: $(head -n 1 "$work/err")" >&2
	with=
fi
line L3 batch_of_four_workers "$(against "$with" "$bare")" instr/instr 1.02 1.03 1.02
rm -rf "$LIBTRACE_OUT"
LIBTRACE_TOGGLE_SIGNAL=USR2 test/cudasim/run env LD_PRELOAD="$library" OMP_NUM_THREADS=1 \
	python3 test/bench/bench_loader.py switch 50 101 >"$work/rates" 2>"$work/err" || head -n 3 "$work/err" >&2
{ read -r clock within && read -r work_done work_within && read -r us; } <"$work/rates"
ungated L3t batch_of_four_workers_time "${clock:-}" ratio L3
echo "# half of the pairs within ${within:-?}; of what processors did ${work_done:-?} (${work_within:-?}); a batch takes ${us:-?} us"
