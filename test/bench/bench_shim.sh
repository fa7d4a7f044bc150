#!/bin/bash
# What a hooked call costs the program: instructions on and off (S1, S4), of other calls (S1c copy, S1e event
# record, S1s stream sync, S1d launch of the driver), of a launch with a script's frame on top (S1p) and with
# three of a package (S1k); against a minimal recorder, in instructions (S2) and in time (S2t); time against an
# LTTng-UST event (S3), many threads against one (S5); what the slowest of a hundred (L1) and of a thousand (L2)
# calls take longer, while a ring is filled for the first time; instructions of a call of libc that does not block,
# on a thread that feeds no device (S6) and on one that does (S7). BENCH_ROUNDS=31 for more rounds.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d)
session=libtrace-bench-$$
rounds=${BENCH_ROUNDS:-21}
[ "$rounds" -ge 9 ] || rounds=9 # in the first ones all is cold

finish() {
	[ -z "${daemon:-}" ] || { lttng destroy "$session" && kill "$daemon"; } >/dev/null 2>&1
	rm -rf "$work"
}
trap finish EXIT

. test/bench/count.sh

compile() { # flags...
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -I. -o "$work/bench_shim" test/bench/bench_shim.c "$@" \
		-L"$work" -lstub -Wl,-rpath,"$work" -lpthread
}

# The calls of one kind; the driver's come from a library of its own name.
calls_line() { # id, what, kind of records, kind of calls, gate, goal
	local bare
	bare=$(count '' "$work/bench_calls" "$4")
	line "$1" "$2" "$(over "$(count_recorded "$3" "$library" "$work/bench_calls" "$4")" "$bare")" instr/call 88 "$5" "$6"
}

python_line() { # id, what, way, gate, goal
	local script=("$python" test/bench/bench_place.py "$work/libcalls.so" "$3") bare
	bare=$(count "$work/libstub.so" "${script[@]}")
	line "$1" "$2" "$(over "$(count_recorded launch "$library $work/libstub.so" "${script[@]}")" "$bare")" \
		instr/call 120 "$4" "$5"
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

gcc -O2 -shared -fPIC -o "$work/libstub.so" test/bench/bench_shim_stub.c &&
	gcc -O2 -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" test/bench/bench_shim_stub.c &&
	gcc -O2 -o "$work/bench_calls" test/bench/bench_calls.c "$work/libcuda.so.1" -L"$work" -lstub -Wl,-rpath,"$work" &&
	gcc -O2 -shared -fPIC -o "$work/libcalls.so" test/bench/bench_calls.c -L"$work" -lstub -Wl,-rpath,"$work" || exit 4
compile || exit 4
# With frames that are known to lie where the library has constants for them.
python=$(for path in /usr/bin/python3.11 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.11.*/bin/python; do
	[ ! -x "$path" ] || { echo "$path" && break; }
done)
mkdir -p "$work/site-packages"
{
	printf 'def inner(launch, count):\n    launch(count)\n\n'
	printf 'def %s(launch, count):\n    %s(launch, count)\n\n' middle inner outer middle
} >"$work/site-packages/bench_package.py"
if command -v valgrind >/dev/null; then
	export LIBTRACE_SOURCES=-activity
	bare=$(count '' "$work/bench_shim" calls)
	plain=$(count '' "$work/bench_shim" waits)
	line S6 wait_other_threads "$(over "$(count "$library" "$work/bench_shim" waits)" "$plain")" instr/call 1 8 5
	line S7 wait_feeding_thread "$(over "$(count "$library" "$work/bench_shim" feeds)" "$plain")" instr/call 30 60 40
	hooked=$(count_recorded launch "$library" "$work/bench_shim" calls)
	line S1 shim_instructions "$(over "$hooked" "$bare")" instr/call 88 125 120
	line S2 shim_over_minimal "$(against "$hooked" "$(count '' "$work/bench_shim" minimal)")" instr/instr 2.6 3.45 3.3
	calls_line S1c shim_copy copy copy 320 250
	calls_line S1e shim_event_record event event 210 180
	calls_line S1s shim_stream_sync sync sync 165 140
	calls_line S1d shim_driver_launch launch driver 145 130
	if [ -n "$python" ]; then
		export PYTHONPATH=$work/site-packages
		python_line S1p shim_below_a_script script 185 170
		python_line S1k shim_below_a_package package 235 230
		unset PYTHONPATH
	else
		echo 'SKIP S1p S1k: no Python 3.11'
	fi
	unset LIBTRACE_SOURCES
	line S4 shim_off_instructions "$(over "$(LIBTRACE_ENABLE=0 count "$library" "$work/bench_shim" calls)" "$bare")" \
		instr/call 1 5 4
else
	echo 'SKIP S1 S2 S1c S1e S1s S1d S1p S1k S4 S6 S7: no valgrind'
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
ungated S2t shim_over_minimal_in_time "$(sed -n 's/^reference //p' "$work/time")" ratio S2
if grep -q '^lttng' "$work/time"; then
	line S3 shim_over_lttng "$(sed -n 's/^lttng //p' "$work/time")" ratio 0.12 0.40 0.25
fi
line S5 shim_16_threads "$(LD_PRELOAD=$library "$work/bench_shim" threads 16 | sed -n 's/^threads //p')" \
	ratio 1.05 1.5 1.15

LIBTRACE_SOURCES=-activity LD_PRELOAD=$library "$work/bench_shim" latency 400000 >"$work/latency"
# The figure named $4, unless bare calls have a tail of their own: then the machine is what is measured.
tail_line() { # id, what, figure, the machine's, limit, gate, goal
	local machine
	machine=$(sed -n "s/^$4 //p" "$work/latency")
	line "$1" "$2" "$(sed -n "s/^$3 //p" "$work/latency")" 'x of a minimal recorder ratio' "$5" "$6" "$7" |
		if awk "BEGIN { exit !($machine > $6 / 5) }"; then sed 's/ FAIL$/ NOISY/'; else cat; fi
}
tail_line L1 shim_slowest_of_100 p99 machine99 3 12 5
tail_line L2 shim_slowest_of_1000 p999 machine999 25 250 50
