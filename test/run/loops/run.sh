#!/bin/bash
# C training loops of known truth under the library, for CUDA 12 and 13: the trace equals the device's
# log call by call, the verdict is the truth, and output and exit status are those without the library.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
export CUDASIM_TORCH=none
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s -C test/cudasim BUILD="$PWD/build/cudasim" programs || exit 4

check_loop() { # CUDA major, mode, class, cause
	local name=$2-$1 program=build/cudasim/$1/train_loop
	export CUDASIM_CUDA=$1
	timeout 60 test/cudasim/run "$program" "$2" >"$work/plain" 2>&1
	local plain=$?
	CUDASIM_LOG=$work/$name.log timeout 60 test/cudasim/run env LD_PRELOAD="$PWD/build/libtrace.so" \
		LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/$name" "$program" "$2" >"$work/traced" 2>&1
	local traced=$?
	if [ "$plain" = "$traced" ] && cmp -s "$work/plain" "$work/traced"; then
		ok "$name: same output and status"
	else
		not_ok "$name: output or status differs ($plain, $traced): $(diff "$work/plain" "$work/traced" | head -n 5)"
	fi
	local out
	if out=$(/usr/bin/python3 test/run/truth/compare_log.py "$work/$name.log" "$work/$name"/*.zst); then
		ok "$name: $out"
	else
		not_ok "$name: $out"
	fi
	build/trace-analyzer report --format json --output "$work/$name.json" "$work/$name"
	if out=$(/usr/bin/python3 test/run/truth/verdict.py "$work/$name.json" "$3" "$4"); then
		ok "$name: verdict $3"
	else
		not_ok "$name: $out"
	fi
}

for major in 12 13; do
	check_loop $major input_bound io idle_input
	check_loop $major launch_bound cpu idle_launch
	check_loop $major sync_bound cpu idle_sync
	check_loop $major sync_mended gpu device_compute
	check_loop $major gpu_bound gpu device_compute
	check_loop $major copy_bound gpu device_copy
	check_loop $major healthy gpu device_compute
done
finish
