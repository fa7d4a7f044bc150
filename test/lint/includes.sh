# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: scripts/check_includes.py on two rooms of two units each, and a library.

rooms_tree() { # a tree without a fault in $work/tree
	rm -rf "$work/tree"
	mkdir -p "$work/tree/analyzer/low" "$work/tree/analyzer/high"
	cd "$work/tree" || exit 1
	cat >rooms.txt <<-'END'
		# room          public   may use
		analyzer/low    low.h    -
		analyzer/high   -        analyzer/low
		library zlib.h  analyzer/low/pack.c
	END
	echo '#include <stdio.h>' >analyzer/low/low.h
	printf '#include "analyzer/low/%s"\n' low.h pack.h >analyzer/low/low.c
	echo '#include <sys/stat.h>' >analyzer/low/pack.h
	printf '#include %s\n' '"analyzer/low/pack.h"' '<zlib.h>' >analyzer/low/pack.c
	echo '#include "analyzer/low/low.h"' >analyzer/high/high.h
	printf '#include "analyzer/high/%s"\n' high.h other.h >analyzer/high/high.c
	echo '#include <string.h>' >analyzer/high/other.h
}

rooms_say() { # name, what is said (exactly)
	local said
	said=$("$root/scripts/check_includes.py" rooms.txt)
	if [ "$said" = "$2" ]; then ok "includes: $1"; else
		not_ok "includes: $1: it said: ${said:-nothing}"
	fi
}

rooms_tree
rooms_say 'a tree without a fault' ''

rooms_tree
echo '#include "analyzer/low/pack.h"' >>analyzer/high/high.c
rooms_say 'a private header over a border' \
	'analyzer/high/high.c:3: pack.h is not a public header of analyzer/low'

rooms_tree
echo '#include "analyzer/high/other.h"' >>analyzer/low/low.c
rooms_say 'a direction that no row allows' \
	'analyzer/low/low.c:3: analyzer/low may not use analyzer/high (other.h)'

rooms_tree
sed -i 's|high   -  |high   other.h|; s|low.h    -|low.h    analyzer/high|' rooms.txt
echo '#include "analyzer/high/other.h"' >>analyzer/low/low.c
rooms_say 'rooms that use each other' \
	'rooms.txt: rooms in a circle: analyzer/high -> analyzer/low -> analyzer/high'

rooms_tree
echo '#include "analyzer/low/low.h"' >>analyzer/low/pack.h
rooms_say 'units of one room that include each other' \
	'analyzer/low: files in a circle: low -> pack -> low'

rooms_tree
echo '#include "analyzer/low/low.h"' >>analyzer/low/pack.c
rooms_say 'units in a circle by way of a .c file' \
	'analyzer/low: files in a circle: low -> pack -> low'

rooms_tree
mkdir analyzer/new && echo '#include <stdio.h>' >analyzer/new/new.c
rooms_say 'a folder without a row' 'analyzer/new: no row in rooms.txt'

rooms_tree
echo 'analyzer/gone  -  -' >>rooms.txt
rooms_say 'a row without a folder' 'rooms.txt: the room analyzer/gone has no files'

rooms_tree
sed -i 's|low.h    -|low.h,pack.h    -|' rooms.txt
rooms_say 'a public header that nobody needs' \
	'rooms.txt: analyzer/low: no other room includes the public header pack.h'

rooms_tree
sed -i 's|low.h    -|low.h,old.h    -|' rooms.txt
rooms_say 'a public header that is no more' \
	'rooms.txt: analyzer/low: no other room includes the public header old.h'

rooms_tree
rm analyzer/high/high.h && echo '#include "analyzer/high/other.h"' >analyzer/high/high.c
rooms_say 'a direction that nobody needs' \
	"$(printf 'rooms.txt: %s\n' 'analyzer/low: no other room includes the public header low.h' \
		'analyzer/high: nothing of analyzer/low is included' | sort -k2)"

rooms_tree
echo '#include "other.h"' >>analyzer/high/high.c
rooms_say 'an include that is not written from the root' \
	'analyzer/high/high.c:3: "other.h" is no file of the project, written from the root'

rooms_tree
mkdir other && touch other/other.h && echo '#include "other/other.h"' >>analyzer/high/high.c
rooms_say 'an include from outside the rooms' \
	'analyzer/high/high.c:3: "other/other.h" is in no room of the table'

rooms_tree
echo '#include <zlib.h>' >>analyzer/low/low.c
rooms_say 'a second user of a library' 'analyzer/low/low.c:3: <zlib.h> is for analyzer/low/pack.c alone'

rooms_tree
echo '#include <lzma.h>' >>analyzer/low/low.c
rooms_say 'a library that no row names' 'analyzer/low/low.c:3: <lzma.h> belongs to no library row'

rooms_tree
sed -i '/zlib/d' analyzer/low/pack.c
rooms_say 'a library that nobody uses' 'rooms.txt: no file includes <zlib.h>'
cd "$root/test/lint" || exit 1
