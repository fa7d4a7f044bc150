#!/bin/bash
# Everything about the sources that a machine can judge: one line per complaint, and as the last line
# "N passed, N failed" (checks without a complaint, complaints).
# usage: scripts/lint.sh [CHECK...]   checks: format includes sizes docs words banned scripts pages tidy
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0 complaints=0
complain() {
	echo "lint: $*"
	complaints=$((complaints + 1))
}
sources() { git ls-files "$@"; }

# Each line that a command prints is a complaint; so is a command that cannot do its work.
complain_of() { # command...
	local lines
	lines=$("$@" 2>&1) || [ -n "$lines" ] || lines="$1 failed"
	while IFS= read -r line; do complain "$line"; done < <([ -z "$lines" ] || printf '%s\n' "$lines")
}

unformatted() {
	sources '*.c' '*.h' | xargs clang-format --dry-run -Werror 2>&1 |
		sed -n 's/^\(.*\):[0-9]*:[0-9]*: error: code should.*/\1: not formatted (make format)/p' | sort -u
}
lint_format() { complain_of unformatted; }
lint_includes() { complain_of scripts/check_includes.py; }
lint_sizes() { complain_of scripts/check_limits.sh; }
lint_docs() { complain_of scripts/check_docs.sh; }
lint_words() { complain_of scripts/check_words.sh; }

banned_calls() {
	sources 'preload/*.[ch]' 'collector/*.[ch]' 'analyzer/*.[ch]' 'test/*.[ch]' |
		xargs grep -nE '\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|gets)\(' /dev/null |
		grep -v 'banned\.h' | sed 's/^/banned call: /'
	sources 'preload/*.c' 'collector/*.c' | xargs grep -nE '\b(f|v|vf)?printf\(' /dev/null |
		sed 's/^/printf outside an output: /'
	# 0 to 2 may be free in somebody else's process: collector/own/descriptor.h
	sources 'preload/*.c' 'collector/*.c' |
		xargs grep -nE '(^|[^[:alnum:]_.>"])(open|open64|openat|fopen|opendir|popen|creat|socket|pipe2?|dup2?|eventfd|memfd_create)\(' /dev/null |
		grep -vE ':[0-9]+:[[:space:]]*(/\*|\*)' | sed 's/^/opens a descriptor of any number: /'
}
lint_banned() { complain_of banned_calls; }

without_run_bit() {
	local file
	for file in $(sources); do
		[ -x "$file" ] && continue
		read -rN 2 start <"$file" && [ "$start" = '#!' ] && echo "$file: no run bit"
	done 2>/dev/null
	return 0
}
lint_scripts() { complain_of without_run_bit; }

# The page's modules one by one, then joined, where a name may be declared twice.
eslint_files() { # rules, files...
	NODE_PATH=/usr/share/nodejs:/usr/lib/nodejs eslint --no-eslintrc --format unix --env browser,es6 --global DecompressionStream \
		--parser-options=ecmaVersion:2018,sourceType:module --rule "no-redeclare: 2, $1" "${@:2}" 2>&1 |
		grep ': '
	return 0
}
page_complaints() {
	local joined
	joined=$(mktemp -d)
	# shellcheck disable=SC2046 # the files of this project have names without spaces
	eslint_files 'no-undef: 2, no-unused-vars: 2, no-shadow: 2, eqeqeq: 2, prefer-const: 2, no-eval: 2,
		no-unreachable: 2, no-fallthrough: 2, max-len: [2, 160]' $(sources 'analyzer/page/assets/*.js')
	analyzer/page/assemble.sh analyzer/page/assets "$joined"
	(cd "$joined" && eslint_files "no-eval: 2" script.js)
	rm -rf "$joined"
}
lint_pages() { complain_of page_complaints; }

tidy_one() { # source
	local said
	said=$(clang-tidy --quiet "$1" -- -std=gnu17 -I. -D_GNU_SOURCE -DLIBTRACE_VERSION='"0"' 2>&1) ||
		grep -E 'warning:|error:' <<<"$said" | head -n 5 | grep . || echo "$1: clang-tidy failed"
	return 0
}
tidy() {
	export -f tidy_one
	# shellcheck disable=SC2016 # expanded by the inner shell
	sources 'preload/*.c' 'collector/*.c' 'analyzer/*.c' |
		xargs -P "$(nproc)" -I {} bash -c 'tidy_one "$1"' tidy {}
}
lint_tidy() { complain_of tidy; }

for tool in git python3 clang-format clang-tidy ctags eslint; do
	command -v $tool >/dev/null && continue
	echo "lint: $tool is missing (scripts/setup.sh lint installs it)"
	echo "0 passed, 1 failed"
	exit 1
done
[ $# -gt 0 ] || set -- format includes sizes docs words banned scripts pages tidy
for check in "$@"; do
	before=$complaints
	"lint_$check"
	[ "$complaints" != "$before" ] || passed=$((passed + 1))
done
echo "$passed passed, $complaints failed"
[ "$complaints" = 0 ]
