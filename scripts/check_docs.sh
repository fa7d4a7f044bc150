#!/bin/bash
# Documentation floor: every header of the product opens with a comment that says what it is for,
# every .c and .h names its licence in its first line. Prints one line per violation.
set -u
cd "$(dirname "$0")/.." || exit 1
git ls-files '*.c' '*.h' '*.S' '*.def' | while read -r file; do
	head -n 1 "$file" | grep -q 'SPDX-License-Identifier: MIT' || echo "$file: no licence line"
done
git ls-files 'preload/*.h' 'collector/*.h' 'analyzer/*.h' | while read -r file; do
	opening=$(awk 'NR > 1 && /^ \*\// { print NR; exit }' "$file")
	[ "${opening:-0}" -ge 4 ] || echo "$file: no opening comment"
done
exit 0
