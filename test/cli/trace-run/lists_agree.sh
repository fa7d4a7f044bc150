# Help, manual, completion and README name the sources and variables of the tables, and no others.
rows() { # table, macro with its parameters, what to print of a row
	printf '#define %s ROW %s\n#include "%s"\n' "$2" "$3" "$1" | gcc -E -P -I"$ROOT" -x c - |
		tr -d '"' | sed 's/ROW /\nROW /g' | sed -n 's/^ROW //p'
}
words() { tr -cs 'A-Za-z_' '\n' | sed '/^$/d' | sort; }
sources() { rows preload/start/source.def 'SOURCE(NAME, name, there, text)' 'there name' | sed -n "s/^$1 //p" | words; }
sources 1 >there
sources '[12]' >named
rows preload/start/settings.def 'SETTING(NAME, type, field, value, help)' NAME | sed 's/^/LIBTRACE_/' | words >set
rows preload/start/settings.def 'LATER(NAME, value, help)' NAME | sed 's/^/LIBTRACE_/' | words >later
sort -o later later
wc -l <there

man=$ROOT/scripts/man/trace-run.1
"$ROOT/scripts/trace-run" --help >help
# the same words in both: "what to record, of: a, b (all)"
listed() { tr -s '\n ' ' ' <"$1" | grep -o 'what to record, of: [^(]*(all)' | sed 's/.*of://; s/(all)//' | words; }
section() { sed -n "/^\.SH $1\$/,/^\.SH /p" "$man" | sed 1d; }

echo 'sources: help, manual, completion, README'
diff there <(listed help)
diff there <(listed "$man")
diff named <(sed -n "s/^\tlocal sources='\(.*\)'/\1/p" "$ROOT/scripts/completion/trace-run" | words)
for row in $(cd "$ROOT" && git ls-files '*.md' | xargs grep -l '^| `LIBTRACE_SOURCES`'); do
	diff named <(grep '^| `LIBTRACE_SOURCES`' "$ROOT/$row" | sed 's/^|[^|]*|[^|]*|//' | grep -o '`[a-z]*`' | words) ||
		echo "in $row"
done
echo 'variables: manual'
diff set <(section ENVIRONMENT | grep -o 'LIBTRACE_[A-Z_]*' | sort -u)
echo 'not in this version: manual'
diff later <(section 'NOT IN THIS VERSION' | sed '/^Who/,$d' | grep -o 'LIBTRACE_[A-Z_]*' | sort -u)

echo 'options: manual, completion'
grep -oE -- '--[a-z-]+ ' help | grep -vE -- '--(quiet|library|help|simulate) ' | tr -d ' ' | sort -u >options
sed 's/LIBTRACE_/--/; y/ABCDEFGHIJKLMNOPQRSTUVWXYZ_/abcdefghijklmnopqrstuvwxyz-/' set | grep -v '^--enable$' | sort | diff options -
grep -oE -- '--[a-z-]+ ' help | tr -d ' ' | sort -u >options
section OPTIONS | sed 's/\\f.//g; s/\\//g' | grep '^-' | grep -oE -- '--[a-z-]+' | sort -u | diff options -
sed -n '/compgen -W .--out/,/--help/p' "$ROOT/scripts/completion/trace-run" | grep -oE -- '--[a-z-]+' | sort -u | diff options -
