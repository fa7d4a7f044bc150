#!/bin/bash
# SPDX-License-Identifier: MIT
# Training programs as others write them under the library: steps, lines, and what waits; see README.md.
# usage: run.sh [--large] [--keep FOLDER [--again]] [NAME...]
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath -m "${BUILD:-build}")
export BUILD=$build
if [ ! -e "$build/libtrace.so" ] || [ ! -e "$build/trace-analyzer" ]; then
	echo "$build: libtrace.so or trace-analyzer is not built"
	echo "0 passed, 1 failed"
	exit 1
fi
if ! why=$(test/cudasim/run python3 -c pass 2>&1); then
	echo "skip: $(tail -n 1 <<<"$why")"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
# What reads traces; the simulated device's own Python has no such modules.
exec /usr/bin/python3 test/programs/run.py "$@"
