#!/bin/bash
# Run every unit test program of a build folder, as many at a time as there are processors, and add
# up what Criterion reports. Programs are told in their order; of one that fails all output is shown.
# usage: test/unit/run.sh [BUILD [PROGRAM...]]
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
shift
passed=0 failed=0 skipped=0
[ $# -gt 0 ] || set -- "$build"/unit/*/test_*
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# shellcheck disable=SC2016 # expanded by the shell that runs it
printf '%s\0' "$@" | WORK=$work xargs -0 -n 1 -P "${JOBS:-$(nproc)}" bash -c '
	log=$WORK/${1//\//_}
	[ -x "$1" ] || exit 0
	timeout -k 5 300 "$1" --color=never -j1 >"$log" 2>&1
	echo $? >"$log.status"' _

for program in "$@"; do
	log=$work/${program//\//_}
	[ -e "$log" ] || continue
	status=$(cat "$log.status" 2>/dev/null || echo 125)
	read -r p f c <<<"$(sed -n \
		's/.*Tested: [0-9]* | Passing: \([0-9]*\) | Failing: \([0-9]*\) | Crashing: \([0-9]*\).*/\1 \2 \3/p' \
		"$log" | tail -n 1)"
	if [ -z "${p:-}" ]; then
		p=0 f=1 c=0
	fi
	bad=$((f + c))
	[ "$status" = 0 ] || [ "$bad" -gt 0 ] || bad=1
	s=$(grep -c 'SKIP' "$log")
	if [ "$bad" -gt 0 ]; then
		echo "FAIL $program (exit status $status)"
		grep -vE '^\[====\]' "$log"
	fi
	passed=$((passed + p)) failed=$((failed + bad)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
