#!/bin/bash
# Run the suites of test/suites.txt (all, or those named), one after the other; print one line each and
# the sum as the last line. The full output of a suite is in build/check/NAME.log.
# usage: test/check.sh [SUITE...]
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL # the suites are no part of a make that called this
case $PWD in
*[[:space:]:]*)
	echo "check: LD_PRELOAD cannot hold '$PWD/build/libtrace.so': move the tree to a path without space and colon"
	echo '0 passed, 1 failed'
	exit 1
	;;
esac
mkdir -p build/check
passed=0 failed=0 skipped=0 recap=

# What a suite says of a test that failed.
complaint='^(FAIL|not ok|ERROR|suite )|(^|[^0-9])[1-9][0-9]* failed|: failed: '

# The sum of the closing lines of a log ("NAME: " may stand before them), as three numbers.
count() {
	grep -E '^([A-Za-z0-9_-]+: )?[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$1" |
		sed 's/^[A-Za-z0-9_-]*: //; s/[a-z,]//g' |
		awk '{ p += $1; f += $2; s += $3 } END { if (NR) print p, f, s + 0 }'
}

run_suite() {
	local name=$1 log=build/check/$1.log begin=$SECONDS status p f s
	shift
	timeout -k 10 "${CHECK_TIMEOUT:-1500}" bash -c "$*" >"$log" 2>&1 </dev/null
	status=$?
	read -r p f s <<<"$(count "$log")"
	if [ -z "${p:-}" ]; then
		p=0 f=1 s=0
		echo "suite $name printed no closing line (exit status $status)" >>"$log"
	elif [ "$status" != 0 ] && [ "$f" = 0 ]; then
		f=1
	fi
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	printf '%-12s %5d passed %3d failed %3d skipped  %4d s\n' "$name" "$p" "$f" "$s" \
		"$((SECONDS - begin))"
	grep -E '^(SKIP|skip)' "$log" | sort | uniq -c | head -n 20
	[ "$f" = 0 ] && return
	grep -E '^(FAIL|not ok|ERROR|==)' "$log" | head -n 30
	tail -n 15 "$log" | sed 's/^/    /'
	recap+=$(grep -E "$complaint" "$log" | head -n 10 | sed "s/^/$name: /")$'\n'
}

while read -r name command; do
	case $name in '' | '#'*) continue ;; esac
	if [ $# -gt 0 ]; then
		case " $* " in *" $name "*) ;; *) continue ;; esac
	fi
	run_suite "$name" "$command"
done <test/suites.txt
[ -z "$recap" ] || printf '== failed\n%s' "$recap"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
