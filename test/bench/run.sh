#!/bin/bash
# Run every bench and print its lines "<id> <what> <value> <unit> limit <l> gate <g> goal <g2> <ok|FAIL>".
# A time gate that fails is measured once more with more rounds; an instruction or byte gate is not.
# BENCH_TIMES=shown: a missed gate of a time or a speed is printed as SLOW and counted as skipped, since it
# says as much about the machine as about the program; one of instructions, bytes or memory is a failure.
# Times that are only shown are measured once, in few rounds.
# Where the same work takes now this time, now that, a missed gate of a time says nothing: it is printed as
# NOISY and counted as skipped too.
# A line that ends in "(no gate: see ID)" depends on the machine and stands beside one that does not.
# The lines are kept in build/bench/history.txt, so that drift shows before a gate breaks.
set -u
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/bench
times_shown() { [ "${BENCH_TIMES:-}" = shown ]; }
if times_shown; then export BENCH_ROUNDS=${BENCH_ROUNDS:-2}; fi
times=' (ratio|x|Mevents\/s) limit '
: >build/bench/lines.txt
is_noisy() {
	local TIMEFORMAT=%R
	for _ in {1..15}; do { time for ((n = 0; n < 40000; n++)); do :; done; } 2>&1; done | sort -n |
		awk '{ t[NR] = $1 } END { exit !(t[13] > 1.3 * t[3]) }'
}
# Run one, and take the gates on times for what they are.
run_bench() { # script, log
	local status=0
	"$1" >"$2" 2>&1 || status=$?
	if times_shown; then
		sed -i -E "/$times/s/ FAIL\$/ SLOW/" "$2"
	elif grep -E "$times" "$2" | grep -q ' FAIL$' && is_noisy; then
		sed -i -E "/$times/s/ FAIL\$/ NOISY/" "$2"
	fi
	[ "$status" = 0 ] && ! grep -q ' FAIL$' "$2"
}
for bench in test/bench/bench_*.sh; do
	name=$(basename "$bench" .sh)
	log=build/bench/$name.log
	run_bench "$bench" "$log" || BENCH_ROUNDS=31 run_bench "$bench" "$log" || grep -q ' FAIL$' "$log" ||
		echo "$name failed: $(tail -n 3 "$log" | tr '\n' ' ') FAIL" >>"$log"
	grep -E ' (ok|FAIL|SLOW|NOISY)$|^SKIP|\(no gate: see [A-Z0-9a-z]+\)$' "$log" | tee -a build/bench/lines.txt
done
sed "s/^/$(git rev-parse --short HEAD 2>/dev/null) /" build/bench/lines.txt >>build/bench/history.txt
missing=$(sed -nE 's/^SKIP ([^:]*):.*/\1/p; s/^([^ ]+) .* (SLOW|NOISY)$/\1/p' build/bench/lines.txt | xargs)
[ -z "$missing" ] || echo "not judged, so not said to be good: $missing"
passed=$(grep -c ' ok$' build/bench/lines.txt)
failed=$(grep -c ' FAIL$' build/bench/lines.txt)
echo "$passed passed, $failed failed, $(grep -cE '^SKIP| (SLOW|NOISY)$' build/bench/lines.txt) skipped"
[ "$failed" = 0 ]
