#!/bin/bash
# Run every bench and print its lines "<id> <what> <value> <unit> limit <l> gate <g> goal <g2> <ok|FAIL>".
# A time gate that fails is measured once more with more rounds; an instruction or byte gate is not.
# BENCH_TIMES=shown: a missed gate of a time or a speed is printed as SLOW and counted as skipped, since it
# says as much about the machine as about the program; one of instructions, bytes or memory is a failure.
# The lines are kept in build/bench/history.txt, so that drift shows before a gate breaks.
set -u
cd "$(dirname "$0")/../.." || exit 1
mkdir -p build/bench
: >build/bench/lines.txt
for bench in test/bench/bench_*.sh; do
	name=$(basename "$bench" .sh)
	log=build/bench/$name.log
	if ! "$bench" >"$log" 2>&1 || grep -q ' FAIL$' "$log"; then
		BENCH_ROUNDS=31 "$bench" >"$log" 2>&1 || echo "$name failed: $(tail -n 3 "$log" | tr '\n' ' ') FAIL" >>"$log"
	fi
	[ "${BENCH_TIMES:-}" != shown ] || sed -i -E '/ (ratio|x|Mevents\/s) limit /s/ FAIL$/ SLOW/' "$log"
	grep -E ' (ok|FAIL|SLOW)$|^SKIP' "$log" | tee -a build/bench/lines.txt
done
sed "s/^/$(git rev-parse --short HEAD 2>/dev/null) /" build/bench/lines.txt >>build/bench/history.txt
passed=$(grep -c ' ok$' build/bench/lines.txt)
failed=$(grep -c ' FAIL$' build/bench/lines.txt)
echo "$passed passed, $failed failed, $(grep -cE '^SKIP| SLOW$' build/bench/lines.txt) skipped"
[ "$failed" = 0 ]
