#!/bin/sh
# SPDX-License-Identifier: MIT
# Check that real PyTorch CUDA wheels run, and calculate rightly, on the simulated device.
#
# usage: check.sh [VERSION...]    2.15.0 when none is given; the scripts with a known bottleneck take a
#                                 minute and run with the first version; CHECK_TRUTH=all: with each
set -u

here=$(cd "$(dirname "$0")" && pwd)
all=$(mktemp -d "${TMPDIR:-/tmp}/cudasim-check-XXXXXX")
trap 'rm -rf "$all"' EXIT

# tally SCRIPT: says what the last line of $work/NAME.out counts
tally()
{
	name=$work/$(basename "$1" .py)
	code=$(cat "$name.code" 2>/dev/null || echo 2)
	touch "$name.out" "$name.err"
	counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$name.out" | tail -1)
	if [ -z "$counts" ]; then
		counts="$((code == 0)) $((code != 0))"
	elif [ "$code" -ne 0 ] && [ "$code" -ne 1 ]; then
		counts="${counts% *} $((${counts#* } + 1))"
	fi
	grep -E '^(not ok|#|    )' "$name.out"
	[ "$code" -eq 0 ] || [ "$code" -eq 1 ] || tail -5 "$name.err"
	echo "torch $CUDASIM_TORCH $1: ${counts% *} passed, ${counts#* } failed"
}

# run_script LIMIT SCRIPT [ARGUMENT]...: in a process of its own
run_script()
{
	limit=$1
	script=$2
	name=$work/$(basename "$script" .py)
	shift 2
	CUDASIM_LOG=$name.log timeout "$limit" "$here/../run" python3 "$here/$script" "$@" \
		>"$name.out" 2>"$name.err"
	echo $? >"$name.code"
	rm -f "$name.log"
	tally "$script"
}

# run_forked LIMIT SCRIPT...: one after the other, none longer than LIMIT seconds
run_forked()
{
	limit=$1
	shift
	rm -f "$work"/*.code
	timeout $((limit * ($# + 1))) "$here/../run" python3 "$here/forked.py" "$work" \
		$(printf "$here/%s=$limit " "$@")
	for script in "$@"; do
		tally "$script"
	done
}

# check_values: it calculates rightly
check_values()
{
	run_forked 100 check_maps.py basics.py values.py train.py features.py graphs.py conv.py \
		attention.py lstm.py algebra.py profiler.py
}

# check_ranks: those of a run meet in files that another run's would be taken for
check_ranks()
{
	run_forked 100 ddp.py
}

# check_times: each script with a known bottleneck has it
check_times()
{
	run_script 400 truth_check.py "$here"/truth/*.py
}

[ $# -gt 0 ] || set -- 2.15.0
timed=$1
[ "${CHECK_TRUTH:-first}" = first ] || timed=$*
for CUDASIM_TORCH in "$@"; do
	export CUDASIM_TORCH
	"$here/../run" true || exit 1
	work=$all/$CUDASIM_TORCH
	mkdir "$work"
	check_values >"$all/$CUDASIM_TORCH.values" 2>&1 & # versions side by side: no time matters
done
wait
cat "$all"/*.values
for CUDASIM_TORCH in "$@"; do
	export CUDASIM_TORCH
	work=$all/$CUDASIM_TORCH
	check_ranks >"$all/$CUDASIM_TORCH.ranks" 2>&1
	cat "$all/$CUDASIM_TORCH.ranks"
done
for CUDASIM_TORCH in $timed; do
	export CUDASIM_TORCH
	work=$all/$CUDASIM_TORCH
	check_times >"$all/$CUDASIM_TORCH.times" 2>&1
	cat "$all/$CUDASIM_TORCH.times"
done
# shellcheck disable=SC2046 # two numbers
set -- $(sed -n 's/^torch .*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$all"/*.values "$all"/*.ranks "$all"/*.times |
	awk '{ p += $1; f += $2 } END { print p + 0, f + 0 }')
echo "$1 passed, $2 failed"
[ "$2" -eq 0 ] && [ "$1" -gt 0 ]
