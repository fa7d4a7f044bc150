#!/bin/bash
# What a hooked call costs the program: instructions on and off (S1, S4), time against a minimal recorder
# and an LTTng-UST event (S2, S3), many threads against one (S5); instructions of a call of libc that does not
# block, on a thread that feeds no device (S6) and on one that does (S7). BENCH_ROUNDS=31 for more rounds.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d)
session=libtrace-bench-$$
rounds=${BENCH_ROUNDS:-21}

finish() {
	[ -z "${daemon:-}" ] || { lttng destroy "$session" && kill "$daemon"; } >/dev/null 2>&1
	rm -rf "$work"
}
trap finish EXIT

# id, what, value, unit, limit, gate, goal: the line that run.sh looks for.
line() { awk -v id="$1" -v what="$2" -v value="$3" -v unit="$4" -v limit="$5" -v gate="$6" -v goal="$7" 'BEGIN {
	printf "%s %s %s %s limit %s gate %s goal %s %s\n", id, what, value, unit, limit, gate, goal,
		(value == "" || value + 0 > gate + 0 ? "FAIL" : "ok") }'; }

compile() { # flags...
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I. -o "$work/bench_shim" test/bench/bench_shim.c "$@" \
		-L"$work" -lstub -Wl,-rpath,"$work" -lpthread
}

# Instructions of the first thread for N launches, without start and end: those of 2N less those of N.
count() { # preloaded library, LIBTRACE_ENABLE, what is called
	local calls totals=()
	for calls in 100000 200000; do
		rm -f "$work"/callgrind*
		LD_PRELOAD=$1 LIBTRACE_ENABLE=$2 valgrind --tool=callgrind --separate-threads=yes \
			--callgrind-out-file="$work/callgrind" "$work/bench_shim" "${3:-calls}" $calls >/dev/null 2>"$work/err"
		totals+=("$(sed -n 's/^totals: //p' "$work"/callgrind-01 2>/dev/null || sed -n 's/^totals: //p' "$work"/callgrind)")
	done
	awk -v a="${totals[0]}" -v b="${totals[1]}" 'BEGIN { printf "%.1f", (b - a) / 100000 }'
}

# A session daemon of our own, so that nothing of the user's is touched. Sets daemon.
start_lttng() {
	export LTTNG_HOME=$work/lttng HOME=$work/lttng LTTNG_UST_REGISTER_TIMEOUT=5000
	mkdir -p "$LTTNG_HOME"
	lttng-sessiond --no-kernel >"$work/sessiond" 2>&1 &
	daemon=$!
	for _ in $(seq 50); do
		lttng --no-sessiond list >/dev/null 2>&1 && break
		sleep 0.1
	done
	{ lttng create "$session" --output="$work/lttng/trace" && lttng enable-event -u 'bench_shim:*' &&
		lttng start; } >"$work/lttng.log" 2>&1
}

gcc -O2 -shared -fPIC -o "$work/libstub.so" test/bench/bench_shim_stub.c || exit 4
export LIBTRACE_OUT=$work/out LIBTRACE_LOG=quiet
compile || exit 4
if command -v valgrind >/dev/null; then
	export LIBTRACE_RING_KB=65536
	bare=$(count '' 1)
	off=$(count "$library" 0)
	on=$(count "$library" 1)
	unset LIBTRACE_RING_KB
	plain=$(count '' 1 waits)
	line S6 wait_other_threads "$(awk "BEGIN { print $(count "$library" 1 waits) - $plain }")" instr/call 1 8 5
	line S7 wait_feeding_thread "$(awk "BEGIN { print $(count "$library" 1 feeds) - $plain }")" instr/call 30 60 40
	line S1 shim_instructions "$(awk "BEGIN { print $on - $bare }")" instr/call 88 200 120
	line S4 shim_off_instructions "$(awk "BEGIN { print $off - $bare }")" instr/call 1 12 4
else
	echo 'SKIP S1 S4 S6 S7: no valgrind'
fi
if ! echo '#include <lttng/tracepoint.h>' | gcc -fsyntax-only -x c - 2>/dev/null || ! command -v lttng-sessiond >/dev/null; then
	echo 'SKIP S3: no lttng-ust'
elif ! compile -DWITH_LTTNG -llttng-ust -ldl 2>"$work/err"; then
	echo "SKIP S3: the tracepoint does not compile: $(grep -m 1 error "$work/err")"
	compile
elif ! start_lttng; then
	echo "SKIP S3: no session: $(tail -n 1 "$work/lttng.log")"
fi
rm -rf "$work/out"
LD_PRELOAD=$library "$work/bench_shim" time "$rounds" >"$work/time"
grep '^#' "$work/time"
line S2 shim_over_minimal "$(sed -n 's/^reference //p' "$work/time")" ratio 1.0 1.6 1.2
if grep -q '^lttng' "$work/time"; then
	line S3 shim_over_lttng "$(sed -n 's/^lttng //p' "$work/time")" ratio 0.12 0.40 0.25
fi
line S5 shim_16_threads "$(LD_PRELOAD=$library "$work/bench_shim" threads 16 | sed -n 's/^threads //p')" \
	ratio 1.05 1.5 1.15
