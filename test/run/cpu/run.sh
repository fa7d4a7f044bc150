#!/bin/bash
# Training without a GPU: PyTorch on the processor alone, its steps, shares, verdict and lines against the
# program's own stop-watch.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=$(realpath "${BUILD:-build}")
if ! test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	skip "torch is not in the cache (test/cudasim/run fetches it)"
	finish
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/run timeout 200 test/cudasim/run env LD_PRELOAD="$build/libtrace.so" \
	OMP_NUM_THREADS=1 python3 test/run/cpu/program.py "$work" loads thread code workers operators saturated >"$work/out" 2>&1 ||
	not_ok "the program failed: $(tail -n 1 "$work/out")"

check() { # mode, class, cause, rule and function
	local out pid files=()
	for pid in $(sed 's/.*"workers": //; s/[^0-9]/ /g' "$work/$1.json"); do
		files+=("$work/run/"*-"$pid".*)
	done
	"$build/trace-analyzer" report --format json --output "$work/$1.report" "${files[@]}"
	if out=$(python3 test/run/cpu/judge.py "$work/$1.report" "$work/$1.json" "${@:2}"); then
		ok "$1: $out"
	else
		not_ok "$1: $out"
	fi
}

check loads io idle_input input-bound train
check thread io idle_input input-bound train
check code cpu idle_host host-python busy
check workers cpu idle_host host-python busy
check operators cpu host_operators
check saturated io idle_input input-workers-saturated train

# Operators of a process that only loads are none of the training's; what blocks it and where it computes is told.
kinds=
for pid in $(sed 's/.*"workers": //; s/, "pid.*//; s/[^0-9]/ /g' "$work/saturated.json"); do
	kinds+=$("$build/trace-analyzer" dump "$work/run/"*-"$pid".*zst | awk '$1 ~ /^\+/ { kinds[$4] = 1 }
		END { print ("op" in kinds) ("input" in kinds) ("stack" in kinds) }')' '
done
if [ -n "$kinds" ] && [ -z "${kinds//011 /}" ]; then ok "workers: waits and stacks, no operators"; else not_ok "workers: $kinds"; fi

# Workers that are killed, all 64 of them, are told; what was seen of them is there.
LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/killed timeout 200 test/cudasim/run env LD_PRELOAD="$build/libtrace.so" \
	python3 -W ignore test/run/cpu/killed.py >"$work/steps" 2>"$work/err"
status=$?
"$build/trace-analyzer" report -q --format json --tables=workers --output "$work/killed.report" "$work/killed" 2>"$work/told"
told="$(grep -c 'the process was killed' "$work/told") $(python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
rows = report["tables"]["workers"]
print(len(rows), len({row["worker"] for row in rows if row["of"] == 64}), report["steps"]["count"], report["health"]["lost"])
' "$work/killed.report")"
if [ "$status $told" = "0 64 64 64 $(cat "$work/steps") 0" ]; then
	ok "killed: 64 workers"
else
	not_ok "killed: $status $told, $(cat "$work/steps") steps: $(tail -n 1 "$work/err")"
fi

# Processes that multiprocessing starts have the name of their program, not of the interpreter's call.
for how in spawn forkserver; do
	LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/$how timeout 100 test/cudasim/run env LD_PRELOAD="$build/libtrace.so" \
		python3 test/run/cpu/started.py $how >/dev/null 2>&1
	programs=$(for trace in "$work/$how"/*.zst; do
		"$build/trace-analyzer" dump -q "$trace" | sed -n 's/^run .* program=\([^ ]*\) .*/\1/p' | sort -u
	done | xargs)
	if [ "$programs" = 'started.py started.py' ]; then ok "$how: both are started.py"; else not_ok "$how: $programs"; fi
done

# What was not to be recorded is no proof that there was no GPU.
LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/blind LIBTRACE_SOURCES=-runtime,-driver timeout 100 test/cudasim/run \
	env LD_PRELOAD="$build/libtrace.so" python3 test/run/cpu/program.py "$work" loads >/dev/null 2>&1
if "$build/trace-analyzer" report "$work/blind" | grep -q 'insufficient data: nothing was launched on a GPU, as far'; then
	ok "blind: no verdict"
else
	not_ok "blind: $("$build/trace-analyzer" report "$work/blind" | head -n 3)"
fi
finish
