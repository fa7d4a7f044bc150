#!/bin/sh
# SPDX-License-Identifier: MIT
# Check that real PyTorch CUDA wheels run, and calculate rightly, on the simulated device.
#
# usage: check.sh [VERSION...]    2.15.0 when none is given; CHECK_TRUTH=0 leaves out the scripts
#                                 with a known bottleneck, which take a minute
set -u

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/cudasim-check-XXXXXX")
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# tally SCRIPT: adds what the last line of $work/NAME.out counts
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
	passed=$((passed + ${counts% *}))
	failed=$((failed + ${counts#* }))
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

[ $# -gt 0 ] || set -- 2.15.0
for CUDASIM_TORCH in "$@"; do
	export CUDASIM_TORCH
	"$here/../run" true || exit 1
	run_forked 100 check_maps.py basics.py values.py train.py features.py graphs.py conv.py \
		attention.py lstm.py profiler.py ddp.py
	[ "${CHECK_TRUTH:-1}" = 0 ] || run_script 400 truth_check.py "$here"/truth/*.py
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
