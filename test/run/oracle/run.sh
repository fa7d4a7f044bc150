#!/bin/bash
# The Python reader, written from FORMAT.md alone, and the analyzer give the same totals on the golden trace
# and on ten generated ones.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s build/bench/tracegen || exit 4

for seed in 1 2 3 4 5 6 7 8 9 10; do
	build/bench/tracegen --events $((seed * 3000)) --names $((seed * 40)) --threads $((1 + seed % 4)) \
		--seed $seed --out "$work/seed-$seed.msgpack.zst" || exit 4
done
for path in test/golden/*.msgpack.zst "$work"/*.msgpack.zst; do
	name=$(basename "$path" .msgpack.zst)
	if out=$(/usr/bin/python3 test/run/oracle/totals.py "$path"); then ok "$name: $out"; else not_ok "$name: $out"; fi
done
finish
