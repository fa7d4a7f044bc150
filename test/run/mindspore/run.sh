#!/bin/bash
# MindSpore's functions in a stand-in for its libraries: what is recorded of them, and that they do what they do without
# us, whatever names they have.
set -u
cd "$(dirname "$0")/../../.." || exit 1
FRAMEWORK=mindspore
. test/run/stand_in.sh

make_package() { # folder, flags
	make_library "$work/$1/lib/libmindspore_profiler.so" test/run/mindspore/libmindspore_profiler.cc \
		-D_GLIBCXX_USE_CXX11_ABI=0 -Wl,-z,now "${@:2}"
	printf "__version__ = '2.10.0'\n" >"$work/$1/version.py"
}
train() { # package, sources
	run_both "$1" "$2" '^160 events ended' "$work/train" "$work/$1/lib/libmindspore_profiler.so" 40 3000 1000
}
make_package known
make_package names -DOTHER_NAMES
make_program

train known default
dump known
expect "operators, their kernels, waits for them" "$(count MatMul function) $(count 'MatMul kernel' function) $(count \
	'wait for backend_queue' function)" "40 40 40"
expect "a graph that ran, gradients" "$(count graph function) $(count backward function)" "1 1"
expect "nothing else" "$(grep -c ' op  .*framework=mindspore' "$work/dump")" 202
expect "values and results arrive, and what is thrown" "$(head -n 1 "$work/traced")" "40 values read, 3 results"
expect "reads, waits for data but for the ends" "$(count Tensor.asnumpy function) $(count GetNext user)" "40 40"
expect "verdict, steps, state" "$(report known)" "mindspore io 40 active good"
expect "what is not seen" "$(source_row)" \
	"source name=mindspore state=active reason=what runs inside a graph that was compiled as a whole is not seen"

train known -mindspore
expect "switched off: nothing is left behind" "$(recorded known)" 0
train names default
dump names
expect "unknown names" "$(grep -c 'name=.*MatMul' "$work/dump")" 0
finish
