#!/bin/bash
# Documentation floor: every C source names its licence in its first line, every header of the product
# opens with a comment that says what it is for, every room of scripts/rooms.txt has a README.md of at
# most 20 lines. Prints one line per violation.
# usage: scripts/check_docs.sh      in a folder under git
set -u
# shellcheck disable=SC2046 # the files of this project have names without spaces
{
	awk 'FNR == 1 && !/SPDX-License-Identifier: MIT/ { print FILENAME ": no licence line" }' \
		/dev/null $(git ls-files '*.c' '*.h' '*.S' '*.def')
	awk '
		FNR == 1 { seen[FILENAME] = 0 }
		FNR > 1 && /^ \*\// && !seen[FILENAME] { seen[FILENAME] = FNR }
		END {
			for (file in seen)
				if (seen[file] < 4)
					print file ": no opening comment"
		}' /dev/null $(git ls-files 'preload/*.h' 'collector/*.h' 'analyzer/*.h')
}
sed 's/#.*//; /^library /d; /^$/d; s/ .*//' scripts/rooms.txt | while read -r room; do
	if [ ! -f "$room/README.md" ]; then
		echo "$room: no README.md"
	elif [ "$(wc -l <"$room/README.md")" -gt 20 ]; then
		echo "$room/README.md: $(wc -l <"$room/README.md") lines (limit 20)"
	fi
done
exit 0
