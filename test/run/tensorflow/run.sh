#!/bin/bash
# TensorFlow's functions in a stand-in for its library: what is recorded of them, and that its own profiler gets what
# it gets without us, whatever names and layout the library has.
set -u
cd "$(dirname "$0")/../../.." || exit 1
FRAMEWORK=tensorflow
. test/run/stand_in.sh

make_package() { # folder, flags
	make_library "$work/$1/libtensorflow_framework.so.2" test/run/tensorflow/libtensorflow_framework.cc "${@:2}"
}
train() { # package, sources
	run_both "$1" "$2" '^started 1, 8 events profiled' "$work/train" "$work/$1/libtensorflow_framework.so.2" 40 3000 1000
}
make_package known
make_package names -DOTHER_NAMES
make_package layout -DOTHER_LAYOUT
make_program

train known default
dump known
expect "operators, those of nodes by their kind" "$(count MatMul function) $(count BatchMatMul function)" "40 40"
expect "what the profiler asked for beyond" "$(count Shape function)" 2
expect "no plumbing" "$(grep -c 'name=Eager' "$work/dump")" 0
expect "waits for data, but for the end" "$(count IteratorGetNext user)" 40
expect "verdict, steps, state" "$(report known)" "tensorflow io 40 active good"

train known -tensorflow
expect "switched off: nothing is left behind" "$(recorded known)" 0
train names default
expect "unknown names: nothing is left behind" "$(recorded names)" 0
train layout default
dump layout
expect "unknown layout" "$(source_row)" \
	"source name=tensorflow state=failed reason=events are not laid out as they are known"
expect "its operators" "$(grep -c 'name=.*scope=function framework=tensorflow' "$work/dump")" 0
finish
