#!/bin/sh
# The page without its data: everything before the data into OUT/before.html, everything behind into
# OUT/after.html, from the files of a folder. Modules become one script, in the order of script.txt;
# style and script are allowed by their hashes and nothing else is.
# usage: assemble.sh ASSETS OUT
set -eu
assets=$1
out=$2
mkdir -p "$out"

base64_of_hash() { # file
	/usr/bin/printf "$(sha256sum <"$1" | cut -c1-64 | sed 's/../\\x&/g')" | base64
}

# "import" lines only tell editors and linters where a name comes from; what is for readers of the sources
# alone does not go into every report
while read -r name; do
	sed 's/^\t*//; /^import /d; s/^export //; /^\/\/ /d; /^\/\*\*.*\*\/$/d; /^$/d' "$assets/$name"
done <"$assets/script.txt" >"$out/script.js"
sed 's/^\t*//; /^\/\*.*\*\/$/d; /^$/d' "$assets/page.css" >"$out/style.css"

sed "s,@SCRIPT_HASH@,$(base64_of_hash "$out/script.js")," "$assets/page.html" |
	sed "s,@STYLE_HASH@,$(base64_of_hash "$out/style.css")," >"$out/page.html"

part() { # the lines of the page from one that holds $1 up to one that holds $2
	sed -n "/$1/,/$2/p" "$out/page.html"
}
{
	part '<!doctype' '@STYLE@' | sed 's/@STYLE@.*//' | head -c -1
	cat "$out/style.css"
	printf '</style>\n'
	part '@STYLE@' '@DATA@' | sed '1d; /@DATA@/d'
} >"$out/before.html"
{
	printf '<script type="module">'
	cat "$out/script.js"
	printf '</script>\n'
	part '@SCRIPT@' '<\/html>' | sed 1d
} >"$out/after.html"
