#!/bin/bash
# Windows of steps, and recording that begins switched off: the trace has the calls of these steps and no others, the
# report has their true numbers, and what was not recorded is said.
# usage: test/run/window/run.sh [--all]
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
analyzer=$(readlink -f "$build/trace-analyzer") || exit 4
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-window-XXXXXX")
trap 'rm -rf "$work"' EXIT
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD

traced() { # way, settings
	rm -rf "$work/out"
	timeout 120 test/cudasim/run env LD_PRELOAD="$library" LIBTRACE_OUT="$work/out" CUDASIM_KERNELS='*=200us' \
		OMP_NUM_THREADS=1 "${@:2}" python3 test/run/window/program.py "$1" >"$work/ends" 2>"$work/err"
}

window() { # name, way, first, last, marks of a step, settings
	local told
	traced "$2" "${@:6}" || not_ok "$1: the program failed: $(tail -n 1 "$work/err")"
	if told=$(python3 test/run/window/judge.py "$analyzer" "$work/out" "$work/ends" "$3" "$4" "$5" 2>&1); then
		ok "$1: $told"
	else
		not_ok "$1: $told"
	fi
}

nothing() { # name, line, settings
	traced one "${@:3}" || not_ok "$1: the program failed"
	if [ ! -e "$work/out" ] && grep -qF "$2" "$work/err"; then
		ok "$1: $2"
	else
		not_ok "$1: $(cat "$work/err")"
	fi
}

window 'two optimisers' two 10 29 2 LIBTRACE_STEPS=10+20
"$analyzer" report -q "$work/out" >"$work/report"
if tr -s '\n ' ' ' <"$work/report" | grep -q 'recorded: steps 10 to 29; 40 of 60 steps passed while recording was off'; then
	ok 'the report says what was recorded'
else
	not_ok "the report says: $(grep -A2 recorded "$work/report")"
fi
window 'cudaProfilerStart and a window' profiler 25 39 1 LIBTRACE_BEGIN=profiler LIBTRACE_STEPS=25-50
nothing 'behind the end' 'LIBTRACE_STEPS=100-110, and only 60 steps were seen to end' LIBTRACE_STEPS=100-110
if [ "${1:-}" = --all ]; then
	window 'a window' one 10 30 1 LIBTRACE_STEPS=10-30
	window 'a window from the beginning' one 0 20 1 LIBTRACE_STEPS=0+21
	window 'steps by the loader' loader 10 29 0 LIBTRACE_STEPS=10-29
	window 'cudaProfilerStart and Stop' profiler 20 39 1 LIBTRACE_BEGIN=profiler
	window 'a signal' signal 20 39 1 LIBTRACE_BEGIN=off LIBTRACE_TOGGLE_SIGNAL=USR1
	nothing 'nobody starts it' 'LIBTRACE_BEGIN=profiler, and cudaProfilerStart was not called' \
		LIBTRACE_BEGIN=profiler
fi
finish
