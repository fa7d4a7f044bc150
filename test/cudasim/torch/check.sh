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

# run_script LIMIT SCRIPT [ARGUMENT]...: adds what its last line counts
run_script()
{
	limit=$1
	script=$2
	shift 2
	rm -f "$work/log"
	CUDASIM_LOG=$work/log timeout "$limit" "$here/../run" python3 "$here/$script" "$@" \
		>"$work/out" 2>"$work/err"
	code=$?
	counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$work/out" | tail -1)
	if [ -z "$counts" ]; then
		counts="$((code == 0)) $((code != 0))"
	elif [ "$code" -gt 1 ]; then
		counts="${counts% *} $((${counts#* } + 1))"
	fi
	passed=$((passed + ${counts% *}))
	failed=$((failed + ${counts#* }))
	grep -E '^(not ok|#|    )' "$work/out"
	[ "$code" -le 1 ] || tail -5 "$work/err"
	echo "torch $CUDASIM_TORCH $script: ${counts% *} passed, ${counts#* } failed"
}

[ $# -gt 0 ] || set -- 2.15.0
for CUDASIM_TORCH in "$@"; do
	export CUDASIM_TORCH
	"$here/../run" true || exit 1
	run_script 100 check_maps.py
	run_script 100 basics.py
	run_script 100 values.py
	run_script 200 train.py
	run_script 200 features.py
	run_script 100 graphs.py
	run_script 100 conv.py
	run_script 100 attention.py
	run_script 100 lstm.py
	run_script 200 ddp.py
	run_script 100 profiler.py
	[ "${CHECK_TRUTH:-1}" = 0 ] || run_script 400 truth_check.py "$here"/truth/*.py
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
