#!/bin/bash
# Operators, ranges and lines of a training, compared with PyTorch's profiler, per PyTorch found.
# usage: test/run/torch/run.sh [system | debian | VERSION]...
# debian: the release's own PyTorch (1.13 in Debian 12), which debian.sh unpacks.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=${BUILD:-build}
library=$(realpath "$build/libtrace.so") || { not_ok "$build/libtrace.so is not built"; finish; }
out=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-torch-XXXXXX") || exit 1
trap 'rm -rf "$out" "$out.err"' EXIT

# Reads traces: needs msgpack and zstandard, which the training's Python may lack.
reader=
for python in python3 /usr/bin/python3; do
	"$python" -c 'import msgpack, zstandard' 2>/dev/null && reader=$python && break
done
[ -n "$reader" ] || { skip "no Python with msgpack and zstandard"; finish; }

# name, then the command that starts Python
check_one() {
	local name=$1
	shift
	rm -rf "$out"/*
	timeout 200 "$@" test/run/torch/program.py >"$out/plain" 2>"$out/log" || {
		skip "$name: the program does not run: $(tail -n 1 "$out/log")"
		return
	}
	LIBTRACE_OUT=$out/trace timeout 200 "${@:1:$#-1}" env LD_PRELOAD="$library" "${@: -1}" \
		test/run/torch/program.py "$out/truth" >"$out/traced" 2>"$out/log" || {
		not_ok "$name: the traced program fails"
		tail -n 5 "$out/log"
		return
	}
	if cmp -s "$out/plain" "$out/traced"; then
		ok "$name: output unchanged"
	else
		not_ok "$name: output differs"
	fi
	if "$reader" test/run/torch/check.py "$out/trace" "$out/truth" >"$out/log" 2>&1; then
		ok "$name: $(tail -n 1 "$out/log")"
	else
		not_ok "$name"
		tail -n 12 "$out/log"
	fi
}

# Short threads, forks inside ranges, odd ends: same output and exit status, and counts.
check_hostile() {
	local name=$1 counts
	shift
	rm -rf "$out"/*
	timeout 200 "$@" test/run/torch/hostile.py >"$out/plain" 2>&1
	echo "status $?" >>"$out/plain"
	LIBTRACE_LOG=quiet LIBTRACE_OUT=$out/trace timeout 200 "${@:1:$#-1}" env LD_PRELOAD="$library" \
		"${@: -1}" test/run/torch/hostile.py >"$out/traced" 2>&1
	echo "status $?" >>"$out/traced"
	counts=$("$reader" test/run/torch/count.py "$out/trace" short child "enumerate(DataLoader)#forked" \
		"begun 7" "open 399" "own backward")
	# 300 threads and twice more; 2 children, 100 each; ends on other threads are left out.
	if cmp "$out/plain" "$out/traced" && [ "$counts" = "302 200 2 0 1 1" ]; then
		ok "$name: hostile uses"
	else
		not_ok "$name: hostile uses ($counts)"
		tail -n 5 "$out/traced"
	fi
}

# A child that helps has no operators, and PyTorch calls for few of them; once it steps an optimiser or calls CUDA it has
# all but the first ones.
check_helper() {
	local name=$1 ways=$2 how least helped trained before after
	shift 2
	while read -r how least; do
		rm -rf "$out"/*
		LIBTRACE_LOG=quiet LIBTRACE_OUT=$out/trace timeout 200 "${@:1:$#-1}" env LD_PRELOAD="$library" \
			"${@: -1}" test/run/torch/helper.py "$how" >"$out/traced" 2>&1
		read -r helped trained <<<"$("$reader" test/run/torch/count.py "$out/trace" aten::cumprod aten::cumsum)"
		read -r before after <"$out/traced"
		if [ "$(tail -n 1 "$out/traced")" = "status 0" ] && [ "$before" -lt 150 ] && [ "$after" = 1000 ] &&
			[ "$helped" = 0 ] && [ "$trained" -ge "$least" ]; then
			ok "$name: helper, $how: PyTorch calls for $before and $after of 1000, $trained operators when it trains"
		else
			not_ok "$name: helper, $how: $helped operators when it helps, $trained when it trains"
			tail -n 5 "$out/traced"
		fi
	done <<<"$ways"
}

# PyTorch asks us for ranges: it has no callback for them.
check_ranges() {
	local name=$1 counts
	shift
	rm -rf "$out"/*
	LIBTRACE_LOG=quiet LIBTRACE_OUT=$out/trace timeout 200 "${@:1:$#-1}" env LD_PRELOAD="$library" \
		"${@: -1}" test/run/torch/ranges.py >"$out/traced" 2>"$out/log"
	counts=$("$reader" test/run/torch/count.py "$out/trace" alone unheard beside behind)
	if [ "$counts" = "50 100 50 50" ] && [ "$(cat "$out/traced")" = 50 ]; then
		ok "$name: ranges without a callback"
	else
		not_ok "$name: ranges without a callback: $counts, the profiler $(tail -n 1 "$out/traced" "$out/log")"
	fi
}

# While a window is closed PyTorch has no callbacks for operators, and in it all are recorded.
check_window() {
	local name=$1 said count
	shift
	rm -rf "$out"/*
	LIBTRACE_STEPS=10-14 LIBTRACE_LOG=quiet LIBTRACE_OUT=$out/trace timeout 200 "${@:1:$#-1}" \
		env LD_PRELOAD="$library" "${@: -1}" test/run/torch/window.py >"$out/said" 2>"$out/log"
	said=$(tr ' ' '\n' <"$out/said" | uniq -c | tr -s ' \n' ' ')
	count=$("$reader" test/run/torch/count.py "$out/trace" aten::cumsum)
	if [ "$said $count" = " 9 0 5 1000 16 0  5" ]; then
		ok "$name: no callbacks before a window and behind it"
	else
		not_ok "$name: a window: $count operators, callbacks: $said $(tail -n 1 "$out/log")"
	fi
	rm -rf "$out"/*
	LIBTRACE_BUDGET=off LIBTRACE_TOGGLE_SIGNAL=USR1 LIBTRACE_LOG=quiet LIBTRACE_OUT=$out/trace timeout 200 \
		"${@:1:$#-1}" env LD_PRELOAD="$library" "${@: -1}" test/run/torch/window.py signal >"$out/said" 2>"$out/log"
	said=$(tr ' ' '\n' <"$out/said" | uniq -c | tr -s ' \n' ' ')
	if [ "$said" = " 30 1000 30 0 " ]; then
		ok "$name: no callbacks after a signal"
	else
		not_ok "$name: a signal: callbacks: $said $(tail -n 1 "$out/log")"
	fi
}

# Calls of modules, as PyTorch's own hooks tell them, with and without a GPU.
check_modules() {
	local name=$1 said
	shift
	rm -rf "$out"/*
	LIBTRACE_LOG=quiet LIBTRACE_SOURCES=+modules LIBTRACE_OUT=$out/trace timeout 200 \
		"${@:1:$#-1}" env LD_PRELOAD="$library" "${@: -1}" test/run/torch/modules.py "$out/truth" \
		>"$out/log" 2>&1
	"$build/trace-analyzer" report --format json --output "$out/json" "$out/trace"
	if said=$("$reader" test/run/torch/modules_check.py "$out/json" "$out/truth" 2>&1); then
		ok "$name: modules: $said"
	else
		not_ok "$name: modules: $said"
	fi
}

# What the allocator held, as PyTorch itself counts it.
check_memory() {
	local name=$1 said
	shift
	rm -rf "$out"/*
	CUDASIM_COMPUTE=0 CUDASIM_MEMORY=8GiB LIBTRACE_LOG=quiet LIBTRACE_SOURCES=+memory \
		LIBTRACE_OUT=$out/trace timeout 200 "${@:1:$#-1}" env LD_PRELOAD="$library" "${@: -1}" \
		test/run/torch/memory.py "$out/truth" >"$out/log" 2>&1
	"$build/trace-analyzer" report --format json --output "$out/json" "$out/trace"
	if said=$("$reader" test/run/torch/memory_check.py "$out/json" "$out/truth" 2>&1); then
		ok "$name: memory: $said"
	else
		not_ok "$name: memory: $said"
	fi
}

# Sizes and types of operators' inputs, as PyTorch's profiler has them; tensors of odd kinds do no harm.
check_shapes() {
	local name=$1 said
	shift
	rm -rf "$out"/*
	timeout 200 "$@" test/run/torch/shapes.py >"$out/plain" 2>"$out/log"
	LIBTRACE_LOG=quiet LIBTRACE_SOURCES=+shapes LIBTRACE_OUT=$out/trace timeout 200 \
		"${@:1:$#-1}" env LD_PRELOAD="$library" "${@: -1}" test/run/torch/shapes.py "$out/truth" \
		>"$out/traced" 2>"$out/log" || tail -n 5 "$out/log"
	"$build/trace-analyzer" report --format json --output "$out/json" "$out/trace"
	if said=$(cmp "$out/plain" "$out/traced" 2>&1 &&
		"$reader" test/run/torch/shapes_check.py "$out/trace" "$out/truth" "$out/json" 2>&1); then
		ok "$name: shapes: $said"
	else
		not_ok "$name: shapes: $said"
	fi
}

# Breaks and compilations of torch.compile, as Dynamo counts them; nothing is told where there are none.
check_compiled() {
	local name=$1 mode said
	shift
	for mode in breaks whole; do
		rm -rf "$out"/*
		LIBTRACE_LOG=quiet LIBTRACE_OUT=$out/trace timeout 300 "${@:1:$#-1}" env LD_PRELOAD="$library" \
			"${@: -1}" test/run/torch/compiled.py $mode "$out/truth" >"$out/traced" 2>"$out/log"
		"$build/trace-analyzer" report --format json --output "$out/json" "$out/trace"
		if said=$("$reader" test/run/torch/compiled_check.py "$out/json" "$out/truth" $mode 2>&1); then
			ok "$name: compiled, $mode: $said"
		else
			not_ok "$name: compiled, $mode: $said"
		fi
	done
}

# Operators in some steps only: the same counts, lines and verdict as with all of them.
check_budget() {
	local name=$1 run said
	rm -rf "$out"/*
	for run in all some; do # the second as it is by default
		if [ $run = all ]; then set -- LIBTRACE_BUDGET=off; else set -- -u LIBTRACE_BUDGET; fi
		CUDASIM_COMPUTE=0 CUDASIM_KERNELS='*=0us' CUDASIM_LAUNCH=3us LIBTRACE_LOG=quiet \
			LIBTRACE_OUT=$out/$run timeout 200 test/cudasim/run env "$@" LD_PRELOAD="$library" \
			python3 test/bench/bench_torch.py 600 >"$out/log" 2>&1 &&
			"$build/trace-analyzer" report --format json --output "$out/$run.json" "$out/$run"
	done
	if said=$("$reader" test/run/torch/budget.py "$out/all.json" "$out/some.json" 2>&1); then
		ok "$name: $said"
	else
		not_ok "$name: budget: $(tail -n 1 <<<"$said")"
	fi
}

# A torch that is there by itself, or that of the Debian release.
check_system() { # the command that starts Python
	local name
	if ! name=$("$@" -c 'import torch; print("torch", torch.__version__)' 2>"$out.err"); then
		skip "no torch in /usr/bin/python3: $(tail -n 1 "$out.err")"
		return
	fi
	check_one "$name" "$@"
	check_hostile "$name" "$@"
	check_ranges "$name" "$@"
	check_window "$name" "$@"
	check_modules "$name" "$@"
	check_shapes "$name" "$@"
	check_helper "$name" "step 29" "$@"
}

# The simulated device's wheels, where they were fetched already.
check_wheel() { # version
	local version=$1 ways
	export CUDASIM_TORCH=$version
	if ! test/cudasim/run --cached "$version" >/dev/null 2>&1; then
		skip "torch $version is not in the cache (test/cudasim/run fetches it)"
		return
	fi
	check_one "torch $version" test/cudasim/run python3
	check_hostile "torch $version" test/cudasim/run python3
	check_ranges "torch $version" test/cudasim/run python3
	check_window "torch $version" test/cudasim/run python3
	check_modules "torch $version" test/cudasim/run python3
	check_shapes "torch $version" test/cudasim/run python3
	ways='step 29'
	[ "$version" = 2.9.1 ] || ways=$'step 29\ncuda 150'
	check_helper "torch $version" "$ways" test/cudasim/run python3
	check_compiled "torch $version" test/cudasim/run python3
	check_memory "torch $version" test/cudasim/run python3
	[ "$version" = 2.9.1 ] || check_budget "torch $version"
}

[ $# -gt 0 ] || set -- system 2.9.1 2.15.0
for which; do
	case $which in
	system) check_system /usr/bin/python3 ;;
	debian) check_system test/run/torch/debian.sh /usr/bin/python3 ;;
	*) check_wheel "$which" ;;
	esac
done
finish
