#!/bin/bash
# Step times where host and device are not at the same step: loops that run ahead of the device, in
# part or to the end, and loops that wait, with and without records of the device; the truth is what the
# programs stamp themselves.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
export CUDASIM_TORCH=none CUDASIM_CUDA=13
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s -C test/cudasim BUILD="$PWD/build/cudasim" programs || exit 4

report() { # folder, output, options
	build/trace-analyzer report --format json --output "$2" "${@:3}" "$1"
}

# What the loop and the report say of it, in $out.
judge_loop() { # mode, with or without, sources
	local name=$1-$2 windows=() window
	rm -rf "${work:?}/$name"
	timeout 60 test/cudasim/run env LD_PRELOAD="$PWD/build/libtrace.so" LIBTRACE_LOG=quiet \
		LIBTRACE_SOURCES="$3" LIBTRACE_OUT="$work/$name" \
		build/cudasim/13/pace_loop "$1" >"$work/$name.stamps" || {
		out='the program failed'
		return 1
	}
	report "$work/$name" "$work/$name.json"
	for window in 10-19 20-37 38-59; do
		report "$work/$name" "$work/$name-$window.json" --steps "$window"
		windows+=("$work/$name-$window.json")
	done
	out=$(/usr/bin/python3 test/run/pace/judge.py "$1" "$work/$name.stamps" "$work/$name.json" "${windows[@]}")
}

# A busy machine wakes the program late for its last stamp, which is the truth: again, but it is said.
check_loop() { # mode, with or without, sources
	local try out
	for try in 1 2 3; do
		if judge_loop "$@"; then
			ok "$2 records of the device: $out"
			return
		fi
		[ $try = 3 ] || echo "again: $1-$2: $out"
	done
	not_ok "$1-$2: $out"
}

for mode in ahead half logged turns full waits reads; do
	check_loop $mode with default
	check_loop $mode without -activity
done
finish
