#!/bin/bash
# Real PyTorch CUDA wheels on the simulated device under the library: calls and device operations against the
# device's log, the operator and line behind each, the same kernels as torch.profiler sees, the lines of ten
# ways to wait, the verdicts of scripts of known truth, and unchanged output.
# usage: test/run/wheels/run.sh [VERSION...]     default: $CHECK_TORCH or 2.15.0
# The scripts of known truth run with the first version; CHECK_TRUTH=all: with each.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts=test/cudasim/torch/truth
export LIBTRACE_BUDGET=off # each call is compared with its operator

# Settings that a script asks for in lines "# cudasim: NAME=VALUE NAME=VALUE...".
settings() { sed -n 's/^# cudasim: *//p' "$1" | tr ' ' '\n'; }

run() { # script, more environment...
	local script=$1 asked=()
	shift
	mapfile -t asked < <(settings "$script")
	timeout 200 env "${asked[@]}" test/cudasim/run env "$@" python3 "$script"
}

# Now and then PyTorch's backward thread wants the interpreter while that ends, and the process aborts, with the
# library or without: such a run says nothing and is made again.
ended_in_race() { # status, file with stderr
	[ "$1" = 134 ] && grep -q 'terminate called without an active exception' "$2" &&
		echo "# aborted at its end, made again: $2"
}

plain() { # name, script
	for _ in {1..12}; do
		run "$2" PYTHONHASHSEED=0 >"$work/$1.plain.out" 2>"$work/$1.plain.err"
		echo $? >"$work/$1.plain.status"
		ended_in_race "$(<"$work/$1.plain.status")" "$work/$1.plain.err" || break
	done
}

traced() { # name, script: with the library and the device's log
	local status
	for _ in {1..12}; do
		rm -rf "${work:?}/$1" "$work/$1.log"
		CUDASIM_LOG=$work/$1.log run "$2" PYTHONHASHSEED=0 LD_PRELOAD="$PWD/build/libtrace.so" \
			LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/$1" >"$work/$1.out" 2>"$work/$1.err"
		status=$?
		ended_in_race $status "$work/$1.err" || break
	done
	build/trace-analyzer report --format json --output "$work/$1.json" "$work/$1"
	return $status
}

trace_same() { # name, script: a plain run beside a traced one; compares what the program did
	local name=$1 status
	plain "$@" &
	traced "$@"
	status=$?
	wait
	if [ "$(<"$work/$name.plain.status")" = $status ] && cmp -s "$work/$name.plain.out" "$work/$name.out" &&
		cmp -s "$work/$name.plain.err" "$work/$name.err"; then
		ok "$name: same output and status"
	else
		not_ok "$name: output or status differs ($(<"$work/$name.plain.status"), $status):" \
			"$(diff "$work/$name.plain.out" "$work/$name.out" | head -n 3)" \
			"$(diff "$work/$name.plain.err" "$work/$name.err" | head -n 3)"
	fi
}

check() { # name, command...
	local name=$1 out
	shift
	if out=$(/usr/bin/python3 "$@" 2>&1); then ok "$name: $(tail -n 1 <<<"$out")"; else not_ok "$name: $out"; fi
}

# Every device operation in the log is in the trace, with its call, operator and line; all are matched.
check_device() { # name
	local matched
	check "$1 device" test/run/truth/compare_device.py "$work/$1.log" "$work/$1"/*.zst
	check "$1 lines" test/run/wheels/device_lines.py "$work/$1"/*.zst
	matched=$(build/trace-analyzer report --format json "$work/$1" 2>/dev/null | sed -n 's/.*"matched_pct": *\([0-9.a-z]*\).*/\1/p' | sort -u)
	if [ "$matched" = 100.0 ]; then ok "$1 matched"; else not_ok "$1 matched: $matched %"; fi
}

# A script that checks its own values.
trace_checked() { # name, command...
	local name=$1 status
	shift
	for _ in {1..12}; do
		rm -rf "${work:?}/$name" "$work/$name.log"
		CUDASIM_LOG=$work/$name.log timeout 300 test/cudasim/run env LD_PRELOAD="$PWD/build/libtrace.so" \
			LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/$name" "$@" >"$work/$name.said" 2>&1
		status=$?
		ended_in_race $status "$work/$name.said" || break
	done
	if [ $status = 0 ]; then ok "$name"; else not_ok "$name: $(tail -n 2 "$work/$name.said")"; fi
	check "$name log" test/run/truth/compare_log.py "$work/$name.log" "$work/$name"/*.zst
	check_device "$name"
}

check_values() { # version: what holds however long things take
	local name out status
	export CUDASIM_TORCH=$1
	trace_same "$1-train50" $scripts/train50.py
	check "$1-train50 log" test/run/truth/compare_log.py "$work/$1-train50.log" "$work/$1-train50"/*.zst
	check "$1-train50 names" test/run/wheels/kernel_names.py "$work/$1-train50"/*.zst
	check_device "$1-train50"
	for name in conv attention graphs; do
		trace_checked "$1-$name" python3 test/cudasim/torch/$name.py
	done
	CUDASIM_DEVICES=2 trace_checked "$1-ddp" python3 -m torch.distributed.run --standalone --nproc_per_node 2 \
		test/cudasim/torch/ddp.py worker
	for _ in {1..12}; do
		rm -rf "$work/$1-gpu"
		STEPS=30 test/cudasim/run test/gpu/run.sh "$work/$1-gpu" 0 >"$work/$1-gpu.said" 2>&1
		status=$?
		grep -q '^FAIL' "$work/$1-gpu.said" || break
		# (134, 0): that was the run without the library
		grep -q 'differs (134, 0)' "$work/$1-gpu.said" || ended_in_race 134 "$work/$1-gpu.said" || break
	done
	out=$(<"$work/$1-gpu.said")
	if [ $status = 0 ]; then
		ok "$1 torch.profiler: $(grep '^ok kernels' <<<"$out")"
	else
		not_ok "$1 torch.profiler: $(grep FAIL <<<"$out")"
	fi
	trace_same "$1-ten_syncs" $scripts/ten_syncs.py
	check "$1-ten_syncs log" test/run/truth/compare_log.py "$work/$1-ten_syncs.log" "$work/$1-ten_syncs"/*.zst
	check "$1-ten_syncs lines" test/run/wheels/sync_lines.py $scripts/ten_syncs.py "$work/$1-ten_syncs.json"
	trace_same "$1-processes" test/run/wheels/processes.py
	finish
}

check_verdicts() { # version
	local name class cause
	export CUDASIM_TORCH=$1
	while read -r name class cause; do
		if traced "$1-$name" "$scripts/$name.py"; then ok "$1-$name"; else not_ok "$1-$name: status $?"; fi
		check "$1-$name verdict" test/run/truth/verdict.py "$work/$1-$name.json" "$class" "$cause"
	done <<-END
		input_bound io idle_input
		launch_bound cpu idle_launch
		sync_bound cpu idle_sync
		gpu_bound gpu device_compute
		copy_bound gpu device_copy
		healthy gpu device_compute
	END
	traced "$1-demo_mended" scripts/demo_mended.py
	check "$1-demo_mended log" test/run/truth/compare_log.py "$work/$1-demo_mended.log" "$work/$1-demo_mended"/*.zst
}

# shellcheck disable=SC2086 # versions are words
[ $# -gt 0 ] || set -- ${CHECK_TORCH:-2.15.0}
truth=$1
[ "${CHECK_TRUTH:-first}" = first ] || truth=$*
there=()
for version in "$@"; do
	if CUDASIM_TORCH=$version test/cudasim/run true 2>"$work/fetch"; then
		there+=("$version")
		check_values "$version" >"$work/$version.said" 2>&1 & # side by side: each ends with a sum
	else
		skip "torch $version: $(tail -n 1 "$work/fetch")"
	fi
done
wait
for version in "${there[@]}"; do
	sed '$d' "$work/$version.said"
	read -r p f s <<<"$(tail -n 1 "$work/$version.said" | tr -d 'a-z,')"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
for version in $truth; do
	[[ " ${there[*]} " != *" $version "* ]] || check_verdicts "$version"
done
finish
