#!/bin/bash
# What the library adds to the start of a program that has nothing to do with CUDA, over an empty library that
# is preloaded: instructions (T1) and system calls (T2). Counts, so a busy machine changes nothing.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. test/bench/count.sh

echo 'int main(void) { return 0; }' | gcc -O2 -o "$work/program" -x c - || exit 4
echo 'void nothing(void); void nothing(void) {}' | gcc -O2 -shared -fPIC -o "$work/empty.so" -x c - || exit 4

instructions() { # library
	env -i LD_PRELOAD="$1" LIBTRACE_OUT="$LIBTRACE_OUT" valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$work/program" 2>&1 | sed -n 's/.*Collected : //p'
}

system_calls() { # library
	env -i LIBTRACE_OUT="$LIBTRACE_OUT" strace -o "$work/calls" -E LD_PRELOAD="$1" "$work/program" && wc -l <"$work/calls"
}

if command -v valgrind >/dev/null; then
	line T1 start_instructions "$(over "$(instructions "$library")" "$(instructions "$work/empty.so")")" \
		instr/start 0 215000 150000
else
	echo 'SKIP T1: no valgrind'
fi
if strace -o /dev/null "$work/program" 2>/dev/null; then
	line T2 start_system_calls "$(over "$(system_calls "$library")" "$(system_calls "$work/empty.so")")" \
		calls/start 0 28 20
else
	echo 'SKIP T2: strace does not work here'
fi
