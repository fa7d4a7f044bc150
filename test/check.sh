#!/bin/bash
# Run the suites of test/suites.txt (all, or those named), those that measure one after the other; print
# one line each and the sum as the last line. The full output of a suite is in build/check/NAME.log.
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

# The suite's line, what it skipped and where it failed, printed at once; its sum is kept beside its log.
run_suite() { # name, command
	local name=$1 log=build/check/$1.log begin=$SECONDS status said p f s
	timeout -k 10 "${CHECK_TIMEOUT:-900}" bash -c "$2" >"$log" 2>&1 </dev/null
	status=$?
	read -r p f s <<<"$(count "$log")"
	if [ -z "${p:-}" ]; then
		p=0 f=1 s=0
		echo "suite $name printed no closing line (exit status $status)" >>"$log"
	elif [ "$status" != 0 ] && [ "$f" = 0 ]; then
		f=1
	fi
	echo "$p $f $s" >"build/check/$name.sum"
	said=$(printf '%-12s %5d passed %3d failed %3d skipped  %4d s' "$name" "$p" "$f" "$s" "$((SECONDS - begin))" &&
		details "$log" "$f")
	echo "$said"
}

details() { # log, failed
	echo
	grep -E '^(SKIP|skip)' "$1" | sort | uniq -c | head -n 20
	[ "$2" = 0 ] && return
	grep -E '^(FAIL|not ok|ERROR|==)' "$1" | head -n 30
	tail -n 15 "$1" | sed 's/^/    /'
}

# Wait until at most so many suites run beside each other.
wait_for() { # count
	while [ "$(jobs -rp | wc -l)" -gt "$1" ]; do wait -n; done
}

names=
rm -f build/check/*.sum
while read -r name how command; do
	case $name in '' | '#'*) continue ;; esac
	if [ $# -gt 0 ]; then
		case " $* " in *" $name "*) ;; *) continue ;; esac
	fi
	names+=" $name"
	if [ "$how" = beside ]; then
		wait_for 1
		run_suite "$name" "$command" &
	else
		wait_for 0
		run_suite "$name" "$command"
	fi
done <test/suites.txt
wait_for 0
for name in $names; do
	read -r p f s <"build/check/$name.sum" || { p=0 f=1 s=0; echo "suite $name left no sum"; }
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	[ "$f" = 0 ] || recap+=$(grep -E "$complaint" "build/check/$name.log" | head -n 10 | sed "s/^/$name: /")$'\n'
done
[ -z "$recap" ] || printf '== failed\n%s' "$recap"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
