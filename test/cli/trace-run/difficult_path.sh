# A library under a path that LD_PRELOAD cannot hold: the command has it, and so has what outlives the command.
export XDG_RUNTIME_DIR= TMPDIR=$PWD/tmp HOME=$PWD/home
mkdir tmp && mkdir -m 500 home
loaded() { sed -n "s|.* $PWD/||p" "$1" | grep '/libtrace.so$' | sort -u; }
for folder in plain 'with a blank' 'with:a:colon' 'with$ORIGIN'; do
	mkdir -p "$folder" && cp "$(dirname "$ANALYZER")/libtrace.so" "$folder"
	rm -f late
	"$ROOT/scripts/trace-run" -q --library "$folder/libtrace.so" sh -c 'cat /proc/self/maps >now; cd /
		(sleep 0.3; cat /proc/self/maps >"$1"; mv "$1" "${1%.part}") >/dev/null 2>&1 &' sh "$PWD/late.part"
	until [ -e late ]; do sleep 0.05; done
	echo "$(loaded now), later $(loaded late)"
done
# one link for each, in a folder that nobody else can look into; a second run finds it
stat -c %a tmp/libtrace-*
before=$(cd tmp && ls -li libtrace-*)
"$ROOT/scripts/trace-run" -q --library "with a blank/libtrace.so" true
[ "$before" = "$(cd tmp && ls -li libtrace-*)" ] && ls tmp/libtrace-* | wc -l
ls -A home
