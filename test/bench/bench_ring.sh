#!/bin/bash
# Print what an event costs the thread that records it, built as in the preloaded library.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
objects=$(ls collector/base/*.c collector/format/*.c collector/*.c |
	sed "s|^\(.*\)\.c$|$build/shim/\1.o|")
# shellcheck disable=SC2086 # words
make --no-print-directory $objects >&2
mkdir -p "$build/bench"
# shellcheck disable=SC2086
gcc -std=gnu17 -O2 -g -D_GNU_SOURCE -fPIC -fvisibility=hidden -ftls-model=initial-exec -I. \
	-o "$build/bench/bench_ring" test/bench/bench_ring.c $objects -lmsgpackc -lzstd -lm -ldl -lpthread
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/bench/bench_ring" "$folder/run"
