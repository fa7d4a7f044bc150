#!/bin/bash
# Other frameworks' unmodified wheels on the processor under the library, against the programs' own stop-watches.
# usage: [MODES=...] run.sh [FRAMEWORK...]
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
build=$(realpath "${BUILD:-build}")
[ $# -gt 0 ] || set -- tensorflow jax flax mindspore onnxruntime
python=$(command -v python3.11) || { skip "no python3.11, for which the wheels are pinned"; finish; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A needs=([flax]="jax flax")
declare -A modes=([tensorflow]="loads computes eager fit validates" [jax]="loads computes blocks ahead unnamed"
	[flax]="linen loads nnx outside scan sharded pmap ahead" [mindspore]="loads computes maps batches graph own compiled evaluates sinks"
	[onnxruntime]="host_loads host_computes")
declare -A classes=([loads]=io [computes]=cpu [blocks]=cpu [ahead]=cpu [unnamed]=none [eager]=io [maps]=io [batches]=io [fit]=io [validates]=cpu [graph]=io
	[own]=cpu [compiled]=cpu [evaluates]="cpu,io" [sinks]=io [linen]=cpu [outside]=cpu [nnx]=io [scan]=cpu [sharded]=cpu [pmap]=cpu [host_loads]=io [host_computes]=cpu)

root=$PWD

train() { # framework, mode, file, variables; frameworks leave files where they run
	(cd "$work" && timeout 200 env "${@:4}" "$python" "$root/test/frameworks/train_$1.py" "$2" "$3" 2>/dev/null)
	echo "status $?"
}

check() { # framework, mode
	local name=$1-$2 out
	train "$1" "$2" "$work/$name.plain" >"$work/plain"
	train "$1" "$2" "$work/$name.own" LD_PRELOAD="$build/libtrace.so" LIBTRACE_LOG=quiet \
		LIBTRACE_OUT="$work/$name" >"$work/traced"
	if cmp -s "$work/plain" "$work/traced" && grep -q 'status 0' "$work/plain"; then
		ok "$name: same output and status"
	else
		not_ok "$name: output or status differs: $(tail -n 2 "$work/plain" "$work/traced" | tr '\n' ' ')"
	fi
	"$build/trace-analyzer" report --format json --output "$work/$name.report" "$work/$name"
	if out=$("$python" test/frameworks/judge.py "$work/$name.report" "$work/$name.own" "${classes[$2]}" 2>&1); then
		ok "$name: $out"
	else
		not_ok "$name: $out"
	fi
}

# Folders with what a framework needs, separated by colons.
find_libraries() { # framework
	local folders='' folder need
	for need in ${needs[$1]:-$1}; do
		folder=$("$python" test/programs/libraries.py "test/frameworks/needs-$need.txt") || return 1
		folders=$folders${folders:+:}$folder
	done
	echo "$folders"
}

for framework; do
	if ! libraries=$(find_libraries "$framework" 2>"$work/err"); then
		skip "$framework: $(tail -n 1 "$work/err")"
		continue
	fi
	export PYTHONPATH=$libraries PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 TF_CPP_MIN_LOG_LEVEL=3 JAX_PLATFORMS=cpu \
		CUDA_VISIBLE_DEVICES=
	for mode in ${MODES:-${modes[$framework]}}; do
		check "$framework" "$mode"
	done
done
finish
