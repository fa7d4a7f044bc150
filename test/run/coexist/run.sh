#!/bin/bash
# Other users of CUPTI in a traced process get everything that they get without us, and we take device activity
# up again when they have left: C programs linked with CUPTI or looking it up, and torch.profiler of both wheels.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-coexist-XXXXXX")
trap 'rm -rf "$work"' EXIT
source=$PWD/test/run/coexist
library=$PWD/build/libtrace.so
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD
if ! grep -q '"activity", *1' preload/start/source.def; then
	skip 'device activity is not a source of this version'
	finish
fi

trace() { /usr/bin/python3 "$source/trace.py" "$work/out" "$@"; }
equal() { # name, expected, got
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: $3 instead of $2"; fi
}

build_tools() { # CUDA major
	local libraries=$PWD/build/cudasim/$1/lib
	CUDASIM_TORCH=none CUDASIM_CUDA=$1 test/cudasim/run true || exit 4
	libraries=$(dirname "$(find build/cudasim -path "*$1*" -name "libcudart.so.$1" | head -n 1)")
	cupti=$(find build/cudasim -name "libcupti.so.$1" | head -n 1)
	gcc -std=gnu17 -D_GNU_SOURCE -O1 -Wall -o "$work/linked" "$source/tool.c" "$libraries/libcudart.so.$1" "$cupti" \
		-Wl,--allow-shlib-undefined || exit 4
	gcc -std=gnu17 -D_GNU_SOURCE -O1 -Wall -DLOOK_UP="\"libcupti.so.$1\"" -o "$work/looked" "$source/tool.c" \
		"$libraries/libcudart.so.$1" -Wl,--allow-shlib-undefined || exit 4
}

# Twice: plainly, and under the library. Output and status are the same; then what the trace holds.
tool() { # name, expected of the trace, program, mode
	rm -rf "$work/out"
	timeout 60 test/cudasim/run "$work/$3" "$4" >"$work/plain" 2>&1
	local plain=$?
	timeout 60 test/cudasim/run env LD_PRELOAD="$library" LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/out" \
		"$work/$3" "$4" >"$work/traced" 2>&1
	equal "$1: status" $plain $?
	equal "$1: what it gets" "$(cat "$work/plain")" "$(cat "$work/traced")"
	equal "$1: what we get" "$2" "$(trace)"
}

before='1000 1001 1002 1003 1004' during='2000 2001 2002 2003 2004 2005 2006' after='3000 3001 3002 3003'
export CUDASIM_TORCH=none
for CUDASIM_CUDA in 12 13; do
	export CUDASIM_CUDA
	build_tools $CUDASIM_CUDA
	for program in linked looked; do
		name="CUDA $CUDASIM_CUDA, $program"
		tool "$name, leaves" "sets $before $after; states active yielded active ended; yielded $program" $program leaves
		equal "$name: seven sets with its clock" 'got 7, with another clock 0' "$(tail -n 1 "$work/plain")"
		tool "$name, comes again" "sets $before $after; states active yielded active ended; yielded $program" $program again
		tool "$name, keeps it" "sets $before; states active yielded; yielded $program" $program keeps
		tool "$name, finalizes" "sets $before $after; states active yielded active ended; yielded $program" $program finalizes
		tool "$name, subscribes" "sets $before $during $after; states active ended; " $program subscribes
		export CUDASIM_CUPTI='subscriber=1'
		tool "$name, a subscriber is there" "sets $before $during $after; states active ended; " $program subscribes
		unset CUDASIM_CUPTI
	done
done

unset CUDASIM_CUDA
for version in 2.9.1 2.15.0; do
	if ! test/cudasim/run --cached $version >/dev/null 2>&1; then
		skip "PyTorch $version: the wheel is not cached"
		continue
	fi
	export CUDASIM_TORCH=$version
	# PyTorch's backward thread may want the interpreter while that ends, with the library or without: made again
	for _ in {1..12}; do
		rm -rf "$work/out" "$work/log"
		CUDASIM_LOG=$work/log timeout 280 test/cudasim/run env LD_PRELOAD="$library" LIBTRACE_LOG=quiet \
			LIBTRACE_OUT="$work/out" python3 "$source/torch_profile.py" >"$work/said" 2>"$work/errors"
		status=$?
		[ $status = 134 ] && grep -q 'terminate called without an active exception' "$work/errors" || break
	done
	equal "PyTorch $version: torch.profiler's trace is complete ($(tail -n 1 "$work/said"))" 0 $status
	got=$(trace "$work/log")
	case $got in
	'states active yielded active yielded active ended; yielded torch.profiler' | \
		'states active yielded active ended; yielded torch.profiler') ok "PyTorch $version: ours is, before and after" ;;
	*) not_ok "PyTorch $version: $got" ;;
	esac
done
finish
