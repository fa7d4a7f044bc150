#!/bin/bash
# What a change needs before it is merged: lint, all tests, the gates of the benches; one after the other,
# since the benches measure. The last line is the sum, a complaint and a missed gate each a failure.
# A gate on times (BENCH_TIMES) is shown only: CI's machines differ, instructions and bytes do not.
# usage: scripts/ci.sh [PART...]      parts: lint check bench (all)
set -u
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] || set -- lint check bench
export BENCH_TIMES=${BENCH_TIMES:-shown}
unset MAKEFLAGS MFLAGS MAKELEVEL # not a part of a make that called this
passed=0 failed=0 skipped=0 said=$(mktemp)
trap 'rm -f "$said"' EXIT
for part in "$@"; do
	begin=$SECONDS p=0 f=0 s=0
	echo "== make $part"
	make --no-print-directory -j"$(nproc)" "$part" 2>&1 | tee "$said"
	status=${PIPESTATUS[0]}
	sum=$(grep -E '^[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$said" | tail -n 1 | tr -d 'a-z,')
	read -r p f s <<<"$sum"
	[ "$status" = 0 ] || [ "${f:-0}" != 0 ] || f=1
	[ -n "$sum" ] || { echo "make $part printed no closing line (exit status $status)"; f=1; }
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
	echo "== make $part: $((SECONDS - begin)) s"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
