#!/bin/bash
# What the library adds to the start of a program that has nothing to do with CUDA, over an empty library that
# is preloaded: instructions (T1), system calls (T2) and pages that are touched first (T3), which are most of the
# time: each costs as much as thousands of instructions. Counts, so a busy machine changes nothing.
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

page_faults() { # library
	env -i LIBTRACE_OUT="$LIBTRACE_OUT" python3 - "$1" "$work/program" <<-'EOF'
		import os, statistics, sys
		faults = []
		for _ in range(21):
		    child = os.posix_spawn(sys.argv[2], sys.argv[2:], dict(os.environ, LD_PRELOAD=sys.argv[1]))
		    faults.append(os.wait4(child, 0)[2].ru_minflt)
		print(statistics.median(faults))
	EOF
}

if command -v valgrind >/dev/null; then
	line T1 start_instructions "$(over "$(instructions "$library")" "$(instructions "$work/empty.so")")" \
		instr/start 0 155000 150000
else
	echo 'SKIP T1: no valgrind'
fi
if strace -o /dev/null "$work/program" 2>/dev/null; then
	line T2 start_system_calls "$(over "$(system_calls "$library")" "$(system_calls "$work/empty.so")")" \
		calls/start 0 19 20
else
	echo 'SKIP T2: strace does not work here'
fi
line T3 start_pages "$(over "$(page_faults "$library")" "$(page_faults "$work/empty.so")")" pages/start 0 21 24
