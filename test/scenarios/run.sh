#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs of known truth under the library: is the report right, sure and at the right line?
# usage: run.sh [--short | --loaded] [--verify-labels] [--pass with|without] [--keep FOLDER [--again]] [--repeat N] [NAME...]
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath -m "${BUILD:-build}")
export BUILD=$build
if [ ! -e "$build/libtrace.so" ] || [ ! -e "$build/trace-analyzer" ]; then
	echo "$build: libtrace.so or trace-analyzer is not built"
	echo "0 passed, 1 failed"
	exit 1
fi
mkdir -p "$build/scenarios" "$build/cudasim"
flock "$build/cudasim/.lock" make -s -C test/cudasim BUILD="$build/cudasim" libraries || exit 4
for source in test/scenarios/c/*.c; do
	program=$build/scenarios/$(basename "$source" .c)
	[ "$program" -nt "$source" ] && [ "$program" -nt test/scenarios/stamps.h ] && continue
	gcc -std=gnu17 -D_GNU_SOURCE -DCUDART_MAJOR=13 -O2 -g -rdynamic -Wall -Wextra -Werror -Itest/cudasim/programs \
		-Itest/scenarios -o "$program" "$source" -L"$build/cudasim/13" -l:libcudart.so.13 -l:libcuda.so.1 \
		-lpthread || exit 4
done
if ! why=$(test/cudasim/run python3 -c pass 2>&1); then
	echo "skip: $(tail -n 1 <<<"$why")"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
python3 test/scenarios/run.py "$@"
