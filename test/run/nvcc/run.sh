#!/bin/bash
# Programs that nvcc has compiled, on the simulated device: with the shared runtime and with one that is linked in,
# with the legacy default stream and one per thread. Each call is in the trace once, as the device's own log has
# it, kernels by their names. Skipped where there is no nvcc.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
. test/run/truth/truth.sh
build=$(readlink -f "${BUILD:-build}")
library=$build/libtrace.so
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-nvcc-XXXXXX")
trap 'rm -rf "$work"' EXIT
python=/usr/bin/python3
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD
export LIBTRACE_LOG=quiet CUDASIM_LAUNCH=1us

# What the source calls its kernels; that the trace says the same as the log is compared call by call.
names='_Z10whole_gridPf
_Z11elementwiseId6scaledIdLi2EEEvPT_iT0_
_Z11elementwiseIf6scaledIfLi1EEEvPT_iT0_
_Z11elementwiseIf6scaledIfLi4EEEvPT_iT0_
_ZN5layer6reduceILi32EEEvPKfPf
_ZN5layer6reduceILi64EEEvPKfPf
plain'

# The libraries of the stand-in, as the vendor's linker options would find them.
program() { # name, object
	g++ -o "$work/$1-shared" "$2" -L"$LD_LIBRARY_PATH" -lcudart -lpthread -ldl &&
		g++ -o "$work/$1-static" "$2" "$LD_LIBRARY_PATH/libcudart_static.a" -lpthread -ldl
}

test_program() { # name, option of nvcc
	local link least=90 static=
	if ! nvcc -arch=sm_80 -std=c++17 -cudart none -default-stream "$2" -c -o "$work/$1.o" test/run/nvcc/train.cu >"$work/nvcc" 2>&1 ||
		! program "$1" "$work/$1.o" >>"$work/nvcc" 2>&1; then
		not_ok "$1: $(head -n 2 "$work/nvcc" | tr '\n' ' ')"
		return
	fi
	for link in shared static; do
		[ $link = shared ] || static=--static
		both "$1, $link runtime" "$work/$1-$link"
		# shellcheck disable=SC2086 # an option or none
		compare "$1, $link runtime" $least $static
		compare_device "$1, $link runtime" 10
		equal "$1, $link runtime: names of kernels" "$names" "$(sed -n 's/.*"kernel":"\([^"]*\)".*/\1/p' "$work/log" | sort -u)"
	done
}

major=$(nvcc --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
case $major in
12 | 13) ;;
'') skip 'programs of nvcc: no nvcc here' && finish && exit 0 ;;
*) skip "programs of nvcc: no stand-in for CUDA $major" && finish && exit 0 ;;
esac
make -s -C test/cudasim BUILD="$build/cudasim" libraries >"$work/make" 2>&1 || { cat "$work/make"; exit 4; }
export LD_LIBRARY_PATH=$build/cudasim/$major LC_ALL=C
test_program legacy legacy
test_program per-thread per-thread
finish
