#!/bin/bash
# Print what an event costs the thread that records it, built as in the preloaded library.
set -eu
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
make --no-print-directory BUILD="$build" "$build/libcollector.a" >&2
mkdir -p "$build/bench"
gcc -std=gnu17 -O2 -g -D_GNU_SOURCE -fPIC -fvisibility=hidden -ftls-model=initial-exec -I. \
	-o "$build/bench/bench_ring" test/bench/bench_ring.c "$build/libcollector.a" -lmsgpackc -lzstd -lm -ldl -lpthread
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/bench/bench_ring" "$folder/run"
