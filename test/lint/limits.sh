# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: scripts/check_limits.sh and check_docs.sh on a room with one file.

lines() { for ((i = 0; i < $1; i++)); do echo "$2"; done; } # count, line

limits_tree() { # a tree without a fault in $work/tree
	rm -rf "$work/tree"
	mkdir -p "$work/tree/analyzer/low" "$work/tree/scripts"
	cd "$work/tree" || exit 1
	git init -q . && printf '%s\n' '# room' 'analyzer/low - -' >scripts/rooms.txt
	lines 20 'The lowest room.' >analyzer/low/README.md
	printf '%s\n' '/* SPDX-License-Identifier: MIT */' '/*' ' * What is low.' ' */' >analyzer/low/low.h
	{
		echo '/* SPDX-License-Identifier: MIT */'
		lines 10 '#include "analyzer/low/low.h"'
		echo 'int low(void) {'
		lines 58 '	low();'
		printf '}\n\n/* %s */\n' "$(printf '%094d' 0)"
	} >analyzer/low/low.c
	for i in 1 2 3 4 5 6 7 8 9; do echo "int f$i(void) {return $i;}" >>analyzer/low/low.c; done
}

limits_say() { # name, check, what is said (exactly)
	local said
	git add . && said=$("$root/scripts/check_$2.sh" 2>&1)
	if [ "$said" = "$3" ]; then ok "$2: $1"; else not_ok "$2: $1: it said: ${said:-nothing}"; fi
}

limits_tree
limits_say 'a tree without a fault' limits ''
limits_say 'a tree without a fault' docs ''

lines 318 '' >>analyzer/low/low.c
limits_say 'a source of 400 lines' limits ''
echo >>analyzer/low/low.c
limits_say 'a source of 401 lines' limits 'analyzer/low/low.c: 401 lines (limit 400)'

limits_tree
lines 147 '' >>analyzer/low/low.h
limits_say 'a header of 151 lines' limits 'analyzer/low/low.h: 151 lines (limit 150)'

limits_tree
printf '\t/* %087d */\n' 0 >>analyzer/low/low.c
limits_say 'a line of 101 columns, one tab in it' limits 'analyzer/low/low.c:83: 101 columns (limit 100)'

limits_tree
sed -i '2i #include "analyzer/low/more.h"' analyzer/low/low.c
limits_say 'a source with 11 headers' limits \
	'analyzer/low/low.c: includes 11 headers of the project (limit 10)'

limits_tree
sed -i '0,/low();/s//low();\n	low();/' analyzer/low/low.c
limits_say 'a function of 61 lines' limits 'analyzer/low/low.c:12: low has 61 lines (limit 60)'

limits_tree
{
	echo 'int second(void) {'
	lines 29 '	low();'
	echo '}'
} >>analyzer/low/low.c
limits_say 'two of eleven functions above 30 lines' limits \
	'functions of the product: nine of ten have at most 31 lines (limit 30)'

limits_tree
for i in {1..23}; do echo >"analyzer/low/f$i"; done
limits_say 'a room of 26 files' limits 'analyzer/low: 26 files (limit 25)'

limits_tree
sed -i '1d' analyzer/low/low.c
limits_say 'a source without licence' docs 'analyzer/low/low.c: no licence line'

limits_tree
sed -i '2d' analyzer/low/low.h
limits_say 'a header that does not say what it is for' docs 'analyzer/low/low.h: no opening comment'

limits_tree
echo more >>analyzer/low/README.md
limits_say 'a room with much to say' docs 'analyzer/low/README.md: 21 lines (limit 20)'

limits_tree
rm analyzer/low/README.md
limits_say 'a room that nobody explains' docs 'analyzer/low: no README.md'
cd "$root/test/lint" || exit 1
