#!/bin/bash
# Everything about the sources that a machine can judge; prints one line per complaint.
# usage: scripts/lint.sh [CHECK...]   checks: format includes sizes docs banned words scripts tidy
set -u
cd "$(dirname "$0")/.." || exit 1
complaints=0
complain() {
	echo "lint: $*"
	complaints=$((complaints + 1))
}
sources() { git ls-files "$@"; }

lint_format() {
	local file
	for file in $(sources '*.c' '*.h'); do
		clang-format --dry-run -Werror "$file" >/dev/null 2>&1 || complain "$file: not formatted (make format)"
	done
}

lint_includes() { while read -r line; do complain "$line"; done < <(scripts/check_includes.sh); }
lint_sizes() { while read -r line; do complain "$line"; done < <(scripts/check_limits.sh); }
lint_docs() { while read -r line; do complain "$line"; done < <(scripts/check_docs.sh); }

lint_banned() {
	local pattern='\b(strcpy|strcat|sprintf|vsprintf|strtok|atoi|gets)\('
	while IFS= read -r line; do complain "banned call: $line"; done < <(
		sources 'preload/*.[ch]' 'collector/*.[ch]' 'analyzer/*.[ch]' 'test/*.[ch]' |
			xargs grep -nE "$pattern" /dev/null | grep -v 'banned\.h'
	)
	while IFS= read -r line; do complain "printf outside an output: $line"; done < <(
		sources 'preload/*.c' 'collector/*.c' | xargs grep -nE '\b(f|v|vf)?printf\(' /dev/null
	)
}

lint_words() {
	while IFS= read -r line; do complain "not for the tree: $line"; done < <(
		sources | xargs grep -nIE '\b(TODO|FIXME|XXX)([^a-zA-Z(]|$)' /dev/null | grep -v '^scripts/lint.sh'
	)
}

lint_scripts() {
	local file
	for file in $(sources); do
		case $(head -c 2 "$file" | tr -d '\0') in '#!') [ -x "$file" ] || complain "$file: no run bit" ;; esac
	done
}

lint_tidy() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	local one='clang-tidy --quiet "$1" -- -std=gnu17 -I. -D_GNU_SOURCE -DLIBTRACE_VERSION=\"0\" \
		2>/dev/null | grep -E "warning:|error:" | head -n 5'
	while IFS= read -r line; do complain "$line"; done < <(
		sources 'preload/*.c' 'collector/*.c' 'analyzer/*.c' | xargs -P 2 -I {} sh -c "$one" tidy {}
	)
}

[ $# -gt 0 ] || set -- format includes sizes docs banned words scripts tidy
for check in "$@"; do "lint_$check"; done
[ "$complaints" = 0 ] && echo "lint: fine" && exit 0
echo "lint: $complaints complaints"
exit 1
