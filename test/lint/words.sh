# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: scripts/check_words.sh, and the checks that scripts/lint.sh makes itself.

words_tree() { # a tree without a fault in $work/tree, with the scripts
	rm -rf "$work/tree"
	mkdir -p "$work/tree/analyzer"
	cd "$work/tree" || exit 1
	git init -q . && cp -r "$root/scripts" "$root"/.clang-{format,tidy} .
	printf '%s\n' 'a todo list, XXXL, /workshop/a, $here/work/a and "/root"' >text
	printf '%s\n' '/* SPDX-License-Identifier: MIT */' 'int low(void)' '{' '	return 1;' '}' >analyzer/low.c
}

words_say() { # name, check of lint.sh, what is said after "lint: "
	local said expected
	git add . && said=$(scripts/lint.sh "$2" 2>&1)
	if [ -z "$3" ]; then expected='1 passed, 0 failed'; else
		expected=$(printf 'lint: %s\n' "$3" '' | head -n 1 && echo '0 passed, 1 failed')
	fi
	if [ "$said" = "$expected" ]; then ok "$2: $1"; else not_ok "$2: $1: it said: $said"; fi
}

words_tree
for check in format words banned scripts; do words_say 'a tree without a fault' $check ''; done

for word in 'TO''DO: more' 'X''XX' 'FIX''ME(low)'; do
	echo "/* $word */" >text
	words_say "$word" words "work put off: text:1:/* $word */"
done
for path in '/wor''k/a' 'at /roo''t/a'; do
	echo "$path" >text
	words_say "$path" words "a path of one machine: text:1:$path"
done
for host in 'https://py''pi.org/a' 'files.pythonhos''ted.org' 'deb.deb''ian.org'; do
	echo "$host" >text
	words_say "$host" words "a host of a package registry: text:1:$host"
done

words_tree
echo 'int  high;' >>analyzer/low.c
words_say 'two spaces' format 'analyzer/low.c: not formatted (make format)'

words_tree
echo 'int n = atoi("1");' >>analyzer/low.c
words_say 'a call that is not for this project' banned 'banned call: analyzer/low.c:6:int n = atoi("1");'

words_tree
mkdir collector && echo 'void f(void) { printf("x"); }' >collector/f.c
words_say 'output of the recording side' banned \
	'printf outside an output: collector/f.c:1:void f(void) { printf("x"); }'

words_tree
chmod -x scripts/lint.sh && git add . && said=$(bash scripts/lint.sh scripts)
if [[ $said = 'lint: scripts/lint.sh: no run bit'* ]]; then ok 'scripts: a script that cannot be run'; else
	not_ok "scripts: a script that cannot be run: it said: $said"
fi

words_tree
sed -i 's/return 1;/int a; return 1 \/ (a - a);/' analyzer/low.c
git add .
if scripts/lint.sh tidy >said 2>&1 || ! grep -q '^lint: .*low.c:4:.*\[clang-analyzer' said; then
	not_ok "tidy: a value that was never set: it said: $(cat said)"
else
	ok 'tidy: a value that was never set'
fi
cd "$root/test/lint" || exit 1
