#!/bin/bash
# Size limits: a .c file 400 lines, a header 150, a line 100 columns, 10 headers of the project in one
# file, a function 60 lines and nine of ten of the product's at most 30, a folder of the product 25 files.
# Prints one line per violation.
# usage: scripts/check_limits.sh      in a folder under git
set -u
product='^(preload|collector|analyzer)/'
files=$(git ls-files)
sources=$(grep '\.[ch]$' <<<"$files")

# shellcheck disable=SC2086 # the files of this project have names without spaces
awk '
	{
		lines[FILENAME] = FNR
		while ((tab = index($0, "\t")))
			$0 = substr($0, 1, tab - 1) sprintf("%*s", 8 - (tab - 1) % 8, "") substr($0, tab + 1)
		if (length($0) > 100)
			print FILENAME ":" FNR ": " length($0) " columns (limit 100)"
	}
	/^#include ".*\.h"/ { headers[FILENAME]++ }
	END {
		for (file in lines) {
			limit = file ~ /\.h$/ ? 150 : 400
			if (lines[file] > limit)
				print file ": " lines[file] " lines (limit " limit ")"
			if (headers[file] > 10)
				print file ": includes " headers[file] " headers of the project (limit 10)"
		}
	}' $sources | sort

sed -nE "\\,$product,s,/[^/]*\$,,p" <<<"$files" | sort | uniq -c |
	awk '$1 > 25 { print $2 ": " $1 " files (limit 25)" }'

# shellcheck disable=SC2046,SC2086
ctags -x --c-kinds=f --fields=+ne --_xformat='%F %n %{end} %N' $(grep '\.c$' <<<"$sources") |
	awk -v product="$product" '
		{ size = $3 - $2 + 1 }
		size > 60 { print $1 ":" $2 ": " $4 " has " size " lines (limit 60)" }
		$1 ~ product { functions++; of_size[size]++ }
		END {
			for (size = 0; 10 * seen < 9 * functions; size++)
				seen += of_size[size]
			if (size - 1 > 30)
				print "functions of the product: nine of ten have at most " size - 1 " lines (limit 30)"
		}'
exit 0
