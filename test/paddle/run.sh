#!/bin/bash
# PaddlePaddle's CPU wheels under the library, against the program's own stop-watch and Paddle's profiler.
# usage: [MODES=...] run.sh [VERSION...]
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
build=$(realpath "${BUILD:-build}")
[ $# -gt 0 ] || set -- 2.6.2 3.3.1
python=$(command -v python3.11) || { skip "no python3.11, for which the wheels are pinned"; finish; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # version, mode
	local name=$1-$2 out
	"$python" test/paddle/program.py "$2" "$work/$name.plain" 2>/dev/null >"$work/plain"
	echo "status $?" >>"$work/plain"
	LD_PRELOAD=$build/libtrace.so LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/$name "$python" test/paddle/program.py "$2" \
		"$work/$name.own" 2>/dev/null >"$work/traced"
	echo "status $?" >>"$work/traced"
	if cmp -s "$work/plain" "$work/traced" && grep -q 'status 0' "$work/plain"; then
		ok "$name: same output and status"
	else
		not_ok "$name: output or status differs: $(tail -n 2 "$work/plain" "$work/traced" | tr '\n' ' ')"
	fi
	"$build/trace-analyzer" report --format json --output "$work/$name.report" "$work/$name"
	"$build/trace-analyzer" dump "$work/$name" >"$work/$name.dump"
	if out=$("$python" test/paddle/judge.py "$2" "$work/$name.report" "$work/$name.dump" "$work/$name.own" 2>&1); then
		ok "$name: $out"
	else
		not_ok "$name: $out"
	fi
}

for version; do
	if ! libraries=$("$python" test/programs/libraries.py "test/paddle/needs-$version.txt" 2>"$work/err"); then
		skip "$version: $(tail -n 1 "$work/err")"
		continue
	fi
	export PYTHONPATH=$libraries PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
	for mode in ${MODES:-slow workers profiled fit static}; do
		check "$version" "$mode"
	done
	if [ -f "$work/$version-slow.report" ] && [ -f "$work/$version-workers.own" ]; then
		if out=$("$python" test/paddle/judge.py gain "$work/$version-slow.report" "$work/$version-workers.own"); then
			ok "$version: $out"
		else
			not_ok "$version: $out"
		fi
	fi
done
finish
