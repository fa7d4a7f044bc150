#!/bin/bash
# Size limits: a .c file 500 lines, a header 150, a function 60, a line 100 columns, 10 headers of
# the project in one file. Prints one line per violation.
set -u
cd "$(dirname "$0")/.." || exit 1

limit() { # pathspec, lines
	git ls-files "$1" | while read -r file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le "$2" ] || echo "$file: $lines lines (limit $2)"
	done
}
limit '*.c' 500
limit '*.h' 150
git ls-files '*.c' '*.h' | while read -r file; do
	expand -t 8 "$file" |
		awk -v file="$file" 'length($0) > 100 { print file ":" NR ": " length($0) " columns" }'
done
git ls-files '*.c' '*.h' | while read -r file; do
	count=$(grep -c '^#include ".*\.h"' "$file")
	[ "$count" -le 10 ] || echo "$file: includes $count headers of the project (limit 10)"
done
if command -v ctags >/dev/null 2>&1; then
	git ls-files '*.c' | while read -r file; do
		ctags -x --c-kinds=f --fields=+ne --_xformat='%N %n %{end}' "$file" 2>/dev/null |
			awk -v file="$file" '{ lines = $3 - $2 + 1 }
				lines > 60 { print file ":" $2 ": " $1 " has " lines " lines (limit 60)" }'
	done
fi
exit 0
