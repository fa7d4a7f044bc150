#!/bin/bash
# ONNX Runtime's sessions in a stand-in for its Python module: what is recorded of their calls, and that they do what
# they do without us, however they are called.
set -u
cd "$(dirname "$0")/../../.." || exit 1
FRAMEWORK=onnxruntime
. test/run/stand_in.sh

make_package() { # folder, flags
	make_library "$work/$1/onnxruntime_pybind11_state.cpython.so" test/run/onnxruntime/onnxruntime_pybind11_state.cc \
		"${@:2}"
	printf "__version__ = '1.31.1'\n" >"$work/$1/build_and_package_info.py"
}
infer() { # package, sources
	run_both "$1" "$2" '^total 2352, refused 1' python3 test/run/onnxruntime/infer.py \
		"$work/$1/onnxruntime_pybind11_state.cpython.so"
}
make_package known
make_package fast -DFASTCALL
make_package other -DOTHER_FLAGS

line=$(grep -n '# step' test/run/onnxruntime/infer.py | cut -d : -f 1)
for package in known fast; do
	infer $package default
	dump $package
	expect "$package: calls at their line" "$(grep -c \
		" name=InferenceSession.run scope=function framework=onnxruntime .*infer.py:$line" "$work/dump")" 40
	expect "$package: other ways to run, and nothing else" "$(count InferenceSession.run_with_iobinding function) $(grep -c \
		' op  .*framework=onnxruntime' "$work/dump")" "1 41"
	expect "$package: verdict, steps, state" "$(report $package)" "onnxruntime io 40 active good"
done
expect "version" "$(grep -o '^version name=onnxruntime .*1.31.1' "$work/dump" | sort -u | wc -l)" 1

infer known -onnxruntime
expect "switched off: nothing is left behind" "$(recorded known)" 0
infer other default
expect "unknown: nothing is recorded" "$(recorded other)" 0
finish
