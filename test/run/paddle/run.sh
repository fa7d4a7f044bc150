#!/bin/bash
# PaddlePaddle's functions in a stand-in for its library: what is recorded of them, and that they do what they do
# without us, whatever version and names the library has.
set -u
cd "$(dirname "$0")/../../.." || exit 1
FRAMEWORK=paddle
. test/run/stand_in.sh

make_package() { # folder, version, flags
	make_library "$work/$1/base/libpaddle.so" test/run/paddle/libpaddle.cc "${@:3}"
	mkdir -p "$work/$1/version"
	printf '# GENERATED\n#\nfull_version     = %s\n' "'$2'" >"$work/$1/version/__init__.py"
}
train() { # package, sources, arguments
	STOPWATCH=$work/$1.waited run_both "$1" "$2" . "$work/train" "$work/$1/base/libpaddle.so" "${@:3}"
}
make_package known 3.3.1
make_package newer 4.0.0
make_package other 3.9.0 -DOTHER_NAMES
make_package methods 3.9.0 -DOTHER_METHODS
make_package graph 3.3.1 -DGRAPH
make_program

train known default 40 3000 1000
dump known
expect "operators" "$(count 'matmul dygraph' function)" 40
expect "an event ends once" "$(count backward function)" 40
expect "updates" "$(count 'adam_ pybind_imperative_func' function)" 160
expect "ranges of the script" "$(count 'forward of the script' user)" 40
expect "steps of the optimiser, the last one too" "$(count Optimizer.step#adam user)" 40
expect "waits for data, but for the one that throws" "$(count ReadNextList user)" 40
expect "verdict, steps, state" "$(report known)" "paddle io 40 active good"
expect "reader's share by its stop-watch" "$(python3 -c '
import json, sys
off = abs(json.load(open(sys.argv[1]))["ratios"]["reader_pct"] - float(open(sys.argv[2]).read()))
print(off < 2 or off)' "$work/report" "$work/known.waited")" True

train graph default 40 3000 1000
dump graph
expect "waits for a graph's data" "$(count ReadNextList user)" 40
expect "its verdict" "$(report graph)" "paddle io 40 active good"

# Reads by the host: methods of a type that the library makes for Python.
read_values() { # package
	run_both "$1" default '^read 90, refused 10' python3 test/run/paddle/tensor.py "$work/$1/base/libpaddle.so"
	dump "$1"
}
line_of() { grep -n "$1" test/run/paddle/tensor.py | cut -d : -f 1; }
read_values known
expect "state" "$(source_row)" "source name=paddle state=active reason="
expect "reads, also the refused" "$(count Tensor.numpy function) $(count Tensor.item function)" "40 40"
expect "their lines" "$(grep -c " name=Tensor.item .*tensor.py:$(line_of '# item')" "$work/dump") $(grep -c \
	" name=Tensor.numpy .*tensor.py:$(line_of '# numpy')" "$work/dump")" "30 30"
read_values methods
expect "unknown methods are told" "$(source_row | grep -c 'Tensor.item and Tensor.numpy are not seen: the type')" 1

train known -paddle 40 300 100
expect "switched off: nothing is left behind" "$(recorded known)" 0
train newer default 40 300 100
train other default 40 300 100
expect "unknown: nothing is recorded" "$(recorded newer) $(recorded other)" "0 0"
finish
