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

# The kernel's account of the thread that trains: alone it sleeps or works; beside another program on its one
# processor it has none for half of the time, and the report says so and is less sure.
check_thread() { # mode, contended or alone, jq-like condition on t (host_thread), rules and doubts
	local name=$1-$2 burner=
	if [ "$2" = contended ]; then
		taskset -c 0 bash -c 'while :; do :; done' &
		burner=$!
	fi
	CUDASIM_CUDA=13 timeout 60 taskset -c 0 test/cudasim/run env LD_PRELOAD="$PWD/build/libtrace.so" LIBTRACE_LOG=quiet \
		LIBTRACE_OUT="$work/$name" build/cudasim/13/train_loop "$1" >/dev/null 2>&1
	[ -z "$burner" ] || { kill "$burner" && wait "$burner"; } 2>/dev/null
	build/trace-analyzer report --format json --output "$work/$name.json" "$work/$name"
	local out
	if out=$(/usr/bin/python3 - "$work/$name.json" "$3" <<-'END'
		import json, sys
		report = json.load(open(sys.argv[1]))
		t, verdict = report["host_thread"], report["verdict"]
		run, ready, blocked = t["on_processor_pct"], t["waiting_for_processor_pct"], t["blocked_pct"]
		rules = [finding["rule"] for finding in report["findings"]]
		doubts = [doubt["name"] if isinstance(doubt, dict) else doubt for doubt in verdict["lowered_by"]]
		print(run, ready, blocked, rules, doubts, verdict["confidence"])
		sys.exit(not (99 < run + ready + blocked < 101 and eval(sys.argv[2])))
	END
	); then
		ok "$name: $3"
	else
		not_ok "$name: not $3: $out"
	fi
}

check_thread launch_bound contended 'ready > 20 and "host-contended" in rules and "contended" in doubts and verdict["confidence"] != "high"'
check_thread input_bound alone 'blocked > 50 and run < 30'

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
