#!/bin/bash
# Run every unit test program of a build folder and add up what Criterion reports.
# usage: test/unit/run.sh [BUILD [PROGRAM...]]
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build}
shift
passed=0 failed=0 skipped=0
[ $# -gt 0 ] || set -- "$build"/unit/*/test_*
for program in "$@"; do
	[ -x "$program" ] || continue
	output=$(timeout -k 5 300 "$program" --color=never -j1 2>&1)
	status=$?
	read -r p f c s <<<"$(sed -n \
		's/.*Tested: [0-9]* | Passing: \([0-9]*\) | Failing: \([0-9]*\) | Crashing: \([0-9]*\).*/\1 \2 \3/p' \
		<<<"$output" | tail -n 1)"
	if [ -z "${p:-}" ]; then
		p=0 f=1 c=0
	fi
	bad=$((f + c))
	[ "$status" = 0 ] || [ "$bad" -gt 0 ] || bad=1
	s=$(grep -c 'SKIP' <<<"$output")
	if [ "$bad" -gt 0 ]; then
		echo "FAIL $program (exit status $status)"
		grep -vE '^\[====\]' <<<"$output" | head -n 60
	fi
	passed=$((passed + p)) failed=$((failed + bad)) skipped=$((skipped + s))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
