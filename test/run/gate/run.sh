#!/bin/bash
# The gate on recordings of a PyTorch loop: the same loop again passes, a mistake fails at its line and nowhere
# else. --all: all mistakes; --pairs N: so many recordings of the same loops; --times: also the gate on times, with
# slower steps; --programs: also programs as others write them. Without the wheel: a C loop alone.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pairs=1
[[ " $* " =~ ' --pairs '([0-9]+) ]] && pairs=${BASH_REMATCH[1]}

# A C loop, recorded again: in it nothing varies either.
make --no-print-directory -s -C test/cudasim programs >&2 || exit 1
for number in $(seq 0 "$pairs"); do
	env CUDASIM_TORCH=none test/cudasim/run env LD_PRELOAD=build/libtrace.so LIBTRACE_OUT="$work/loop$number" \
		build/cudasim/13/train_loop sync_bound >"$work/log" 2>&1 || not_ok "the C loop: $(tail -n 3 "$work/log")"
done
build/trace-analyzer check "$work/loop0" --write-baseline "$work/base" || not_ok 'the C loop has no baseline'
for number in $(seq "$pairs"); do
	if build/trace-analyzer check "$work/loop$number" --baseline "$work/base" >"$work/log" 2>&1; then
		ok "the C loop again, $number"
	else not_ok "the C loop again, $number: $(cat "$work/log")"; fi
done
if build/trace-analyzer check "$work/loop1" --max syncs=0 >"$work/log" 2>&1; then
	not_ok "a budget of no syncs: $(cat "$work/log")"
else ok 'a budget of no syncs fails'; fi

# Three ranks at once, each a process: what one of them alone does is told with its number.
ranks() { # folder, what each does
	local folder=$1 rank=0 mode
	for mode in "${@:2}"; do
		env CUDASIM_TORCH=none RANK=$rank WORLD_SIZE=3 test/cudasim/run env LD_PRELOAD=build/libtrace.so \
			LIBTRACE_OUT="$work/$folder" build/cudasim/13/train_loop "$mode" >"$work/log$rank" 2>&1 &
		rank=$((rank + 1))
	done
	wait
}
held() { # name, exit code, text, baseline, folder
	build/trace-analyzer check "$work/$5" --baseline "$work/$4" >"$work/log" 2>&1
	local code=$?
	if [ "$code" = "$2" ] && grep -q "$3" "$work/log"; then ok "$1"; else not_ok "$1: exit code $code, $(cat "$work/log")"; fi
}
ranks all sync_mended sync_mended sync_mended
ranks again sync_mended sync_mended sync_mended
ranks one sync_mended sync_bound sync_mended
build/trace-analyzer check "$work/all" --write-baseline "$work/ranks" || not_ok 'three ranks have no baseline'
held 'three ranks again' 0 '^passed: 42 rows' ranks again
held 'rank 1 alone' 1 'syncs: was 52/50, is 8 per step on rank 1$' ranks one
build/trace-analyzer check "$work/one" --write-baseline "$work/ranks-one"
held 'what rank 1 alone may do' 0 '^passed: 42 rows' ranks-one one
held 'what rank 1 alone did' 1 'syncs: was 8, is 52/50 per step on rank 1$' ranks-one all
build/trace-analyzer report --format json "$work/one" >"$work/one.json"
held 'rank 1 alone, from a report' 1 'syncs: was 52/50, is 8 per step on rank 1$' ranks one.json
if build/trace-analyzer compare --format markdown "$work/all" "$work/one.json" >"$work/log" 2>&1 &&
	grep -q '^| .* 8 .* worse: sync .* on rank 1 |$' "$work/log" && grep -q '^3 ranks are compared' "$work/log"; then
	ok 'rank 1 alone, compared'
else not_ok "rank 1 alone, compared: $(cat "$work/log")"; fi
lose() { # folder, rank: what it has recorded, and the process that it forks, which feeds it
	local file
	for file in "$work/$1"/*.zst; do
		if build/trace-analyzer dump "$file" 2>/dev/null | head -n 1 | grep -q " rank=$2 "; then rm "$file"; fi
	done
}
lose again 2
held 'a rank that is missing' 3 'ranks recorded: 2, in the baseline: 3' ranks again
lose again 1
held 'all but one are missing' 3 'ranks recorded: 1, in the baseline: 3' ranks again
held 'its file alone' 0 'rank 0 alone is judged, the baseline has 3 ranks' ranks "again/$(find "$work/again" -name '*.zst' -printf '%s %f\n' | sort -n | sed -n '$s/.* //p')"

if [[ " $* " == *' --times '* ]]; then
	CUDASIM_TORCH=none test/cudasim/run python3 test/run/gate/times.py "$work/times" || failed=$((failed + 1))
fi

if test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	python3 test/run/gate/gate.py "$work/torch" "$@" || failed=$((failed + 1))
	if [[ " $* " == *' --programs'* ]]; then
		make --no-print-directory -s simulated >&2 || exit 1
		environment=$(python3 test/cudasim/wheel/fetch.py 2.15.0 --if-cached)
		LIBRARIES=$(test/cudasim/run python3 test/programs/libraries.py) ||
			skip 'programs that need libraries of others: they cannot be installed'
		LIBRARIES=$LIBRARIES PATH=$PWD/scripts:$environment/bin:$PATH PYTHONNOUSERSITE=1 \
			python3 test/run/gate/programs.py "$work/programs" || failed=$((failed + 1))
	fi
else
	skip 'PyTorch: the wheel is not in the cache (make demo fetches it)'
fi
finish
