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

check_loop() { # mode, with or without, sources
	local name=$1-$2 windows=() window out
	timeout 60 test/cudasim/run env LD_PRELOAD="$PWD/build/libtrace.so" LIBTRACE_LOG=quiet \
		LIBTRACE_SOURCES="$3" LIBTRACE_OUT="$work/$name" \
		build/cudasim/13/pace_loop "$1" >"$work/$name.stamps" || not_ok "$name: the program failed"
	report "$work/$name" "$work/$name.json"
	for window in 10-19 20-37 38-59; do
		report "$work/$name" "$work/$name-$window.json" --steps "$window"
		windows+=("$work/$name-$window.json")
	done
	if out=$(/usr/bin/python3 test/run/pace/judge.py "$1" "$work/$name.stamps" "$work/$name.json" \
		"${windows[@]}"); then
		ok "$2 records of the device: $out"
	else
		not_ok "$name: $out"
	fi
}

for mode in ahead half logged turns full waits reads; do
	check_loop $mode with default
	check_loop $mode without -activity
done
finish
