#!/bin/bash
# What a device record costs the process against memcpy and zstd of its bytes (D1), what it weighs in the
# file (D2), and what the source costs a hooked call once it has begun (D3).
set -u
cd "$(dirname "$0")/../.." || exit 1
make --no-print-directory build/bench/bench_activity >&2 || exit 4
library=$(readlink -f build/libtrace.so) || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# id, what, value, unit, limit, gate, goal: the line that run.sh looks for.
line() { awk -v id="$1" -v what="$2" -v value="$3" -v unit="$4" -v limit="$5" -v gate="$6" -v goal="$7" 'BEGIN {
	printf "%s %s %s %s limit %s gate %s goal %s %s\n", id, what, value, unit, limit, gate, goal,
		(value == "" || value + 0 > gate + 0 ? "FAIL" : "ok") }'; }

# Instructions of the first thread for N launches, as bench_shim.sh counts them.
count() { # LIBTRACE_SOURCES
	local calls totals=()
	for calls in 100000 200000; do
		rm -f "$work"/callgrind*
		LD_PRELOAD=$library LIBTRACE_SOURCES=$1 valgrind --tool=callgrind --separate-threads=yes \
			--callgrind-out-file="$work/callgrind" "$work/bench_shim" calls $calls >/dev/null 2>"$work/err"
		totals+=("$(sed -n 's/^totals: //p' "$work"/callgrind-01 2>/dev/null || sed -n 's/^totals: //p' "$work"/callgrind)")
	done
	awk -v a="${totals[0]}" -v b="${totals[1]}" 'BEGIN { printf "%.1f", (b - a) / 100000 }'
}

build/bench/bench_activity "$work" >"$work/figures" || exit 4
line D1 activity_over_copy "$(sed -n 's/^ratio //p' "$work/figures")" ratio 0.54 0.60 0.40
line D2 activity_bytes "$(sed -n 's/^bytes //p' "$work/figures")" bytes/record 4.0 5.5 4.0
if command -v valgrind >/dev/null; then
	gcc -O2 -shared -fPIC -o "$work/libstub.so" test/bench/bench_shim_stub.c || exit 4
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I. -o "$work/bench_shim" test/bench/bench_shim.c -L"$work" -lstub \
		-Wl,-rpath,"$work" -lpthread || exit 4
	export LIBTRACE_OUT=$work/out LIBTRACE_LOG=quiet LIBTRACE_RING_KB=65536
	line D3 activity_on_a_call "$(awk "BEGIN { print $(count default) - $(count -activity) }")" instr/call 0 1 0
else
	echo 'SKIP D3: no valgrind'
fi
