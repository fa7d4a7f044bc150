#!/bin/bash
# SPDX-License-Identifier: MIT
# Loops before and after they are mended: does the mended one take as long as the report on the other promised?
# usage: run.sh [--repeat N] [--keep FOLDER [--again]] [NAME...]
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath -m "${BUILD:-build}")
export BUILD=$build
if [ ! -e "$build/libtrace.so" ] || [ ! -e "$build/trace-analyzer" ]; then
	echo "$build: libtrace.so or trace-analyzer is not built"
	echo "0 passed, 1 failed"
	exit 1
fi
exec python3 test/pairs/run.py "$@"
