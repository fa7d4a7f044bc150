#!/bin/bash
# Change the product in one small way at a time (list.txt) and see whether the quick suites notice.
# usage: test/mutants/run.sh [ID...]   JOBS: how many at a time, default one per processor
set -u
cd "$(dirname "$0")/../.." || exit 1
jobs=${JOBS:-$(nproc)}
base=build/mutants/base
mkdir -p "$base" || exit 1

# A private copy of the tree, built as it is. What did not change since the last time is kept.
git ls-files -z --cached --others --exclude-standard | sort -z >build/mutants/files
while IFS= read -r -d '' file; do
	[ -f "$file" ] && ! cmp -s "$file" "$base/$file" && cp --parents -p "$file" "$base" && touch "$base/$file"
done <build/mutants/files
(cd "$base" && find . -path ./build -prune -o -type f -print0 | sed -z 's|^\./||' | sort -z) |
	comm -z -13 build/mutants/files - | (cd "$base" && xargs -0 -r rm -f)
make -s -C "$base" -j"$jobs" CFLAGS=-O1 all units build/bench/tracegen >build/mutants/base.log 2>&1 ||
	{ tail -n 30 build/mutants/base.log && echo '0 passed, 1 failed' && exit 1; }
exec python3 test/mutants/mutants.py "$jobs" "$@"
