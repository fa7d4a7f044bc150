#!/bin/bash
# What recording an operator of PyTorch costs, begin and end: instructions of ours (O3), and beside them what they make
# of a callback pair that does nothing (O3r), for which PyTorch itself has work. Import is left out, and the empty pair
# counted in one process, without and with it, since two processes differ by some thirty instructions of Python's own.
# Under the counting an operator may last so long that its line would be looked up: that part is left out.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. test/bench/count.sh
if ! command -v valgrind >/dev/null || ! test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	echo 'SKIP O3: no valgrind, or the wheel is not in the cache (make demo fetches it)'
	exit 0
fi
gcc -O2 -shared -fPIC -I. -o "$work/bench_operator.so" test/bench/bench_operator.c -ldl || exit 4
readonly OPERATORS=4000

process() { # empty or recorded
	local preload=
	if [ "$1" = recorded ]; then preload=$library; fi
	test/cudasim/run env LD_PRELOAD="$preload" OMP_NUM_THREADS=1 \
		LIBTRACE_SOURCES=default,-python LIBTRACE_BUDGET=off valgrind --tool=callgrind --instr-atstart=no \
		--separate-threads=yes --callgrind-out-file="$work/$1" python3 test/bench/bench_operator.py \
		"$work/bench_operator.so" "$1" $OPERATORS >"$work/log" 2>&1 || { tail -n 2 "$work/log" >&2; return 1; }
}
total() { sed -n 's/^totals: //p' "$work/$1-01"; } # of the first thread, in a dump

for way in empty recorded; do process $way || exit 4; done
pair=$(over "$(total empty.2)" "$(total empty.1)")
# What is inlined into them is listed by its own file.
own=$(callgrind_annotate --threshold=100 --auto=no "$work/recorded.1-01" 2>/dev/null | awk '
	/(preload|collector)\/[a-z_\/]*\.[ch]:(torch_start_FUNCTION|leave)( |$)/ { gsub(",", "", $1); sum += $1 }
	END { if (sum) print sum }')
found=$("$build/trace-analyzer" dump "$LIBTRACE_OUT"/*.zst 2>/dev/null | grep -c ' op .*name=aten::view')
if [ "$found" -lt $OPERATORS ]; then
	echo "# only $found of $OPERATORS operators are in the trace" >&2
	own=
fi
line O3 operator_begin_and_end "${own:+$((own / OPERATORS))}" instr/operator 171 160 171
ungated O3r operator_over_an_empty_pair "$(against "${own:+$((own + pair))}" "$pair")" instr/instr O3
