#!/bin/bash
# What a call of a function that LIBTRACE_PROBE names costs, over one that goes through the same stub with nothing
# asked and nothing told (V1), and in instructions (V2).
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. test/bench/count.sh
if ! command -v valgrind >/dev/null; then
	echo 'SKIP V1 V2: no valgrind'
	exit 0
fi
[ "$(uname -m)" = x86_64 ] || { echo 'SKIP V1 V2: for x86-64' && exit 0; }
printf 'long bench_probed(long, double);\nlong bench_probed(long a, double b) { return a + (b > 0); }\n' |
	gcc -O2 -shared -fPIC -o "$work/libprobed.so" -x c - &&
	gcc -std=gnu17 -O2 -I. -o "$work/bench_probe" test/bench/bench_probe.c preload/probe/stub_x86_64.S \
		-L"$work" -lprobed -Wl,-rpath,"$work" || exit 4
plain=$(count '' "$work/bench_probe" plain)
bare=$(over "$(count '' "$work/bench_probe" bare)" "$plain")
export LIBTRACE_PROBE='libprobed:bench_probed' LIBTRACE_SOURCES=-activity
probed=$(over "$(count_recorded op "$library" "$work/bench_probe" plain)" "$plain")
line V1 probe_over_bare "$(against "$probed" "$bare")" instr/instr 4 4 3
line V2 probe_instructions "$probed" instr/call 400 600 500
