#!/bin/bash
# Other frameworks' unmodified CUDA wheels on the simulated device under the library, against the programs' own
# stop-watches and the device's own log.
# usage: [MODES=...] device.sh [FRAMEWORK...]
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
build=$(realpath "${BUILD:-build}")
[ $# -gt 0 ] || set -- compiled jax tensorflow onnxruntime
python=$(command -v python3.11) || { skip "no python3.11, for which the wheels are pinned"; finish; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

declare -A modes=([compiled]="loads computes launches graphs" [jax]="loads computes" [tensorflow]="loads computes"
	[onnxruntime]="loads computes")
declare -A needs=([compiled]=triton [jax]="jax jax-cuda" [tensorflow]="tensorflow-cuda tensorflow"
	[onnxruntime]=onnxruntime)
# Beside PyTorch's wheel, or made for the packages alone.
declare -A device=([compiled]=CUDASIM_TORCH=2.15.0 [jax]=CUDASIM_PACKAGES=jax
	[tensorflow]=CUDASIM_PACKAGES=tensorflow [onnxruntime]=CUDASIM_PACKAGES=onnxruntime)
declare -A classes=([loads]=io [computes]=gpu [launches]=cpu [graphs]=cpu)
declare -A kernels=([loads]='*=3us' [computes]='*=10ms' [launches]='*=3us' [graphs]='*=3us')
# What is compiled is not to be compiled, and what is replayed need not be replayed; means of PyTorch's are for its runs.
declare -A never=([compiled]='torch\.compile(?! with mode=)' [compiled-graphs]='torch\.compile(?! with mode=.max)'
	[jax]='torch|DataLoader|non_blocking|pin_memory' [tensorflow]='torch|DataLoader|non_blocking|pin_memory')
# Frameworks of which only some operators are seen: no others may be told.
declare -A operators=([onnxruntime]=InferenceSession.run)
# Processes that load.
declare -A workers=([compiled-loads]=1 [jax-loads]=1 [onnxruntime-loads]=1)

train() { # framework, mode, folder, library, variables
	mkdir -p "$3"
	# shellcheck disable=SC2016 # expanded behind run, which may preload something, too
	timeout 400 env "${device[$1]}" CUDASIM_KERNELS="${kernels[$2]}" CUDASIM_LOG="$3/log" \
		TORCHINDUCTOR_CACHE_DIR="$3/inductor" TRITON_CACHE_DIR="$3/triton" TRACER="$4" "${@:5}" \
		test/cudasim/run sh -c 'LD_PRELOAD="$TRACER:$LD_PRELOAD" exec python3 "$@"' sh \
		"test/frameworks/train_$1.py" "$2" "$3/own" 2>"$3/err"
	echo "status $?"
}

check() { # framework, mode
	local name=$1-$2 out
	local plain=$work/$name/plain traced=$work/$name/traced
	mkdir -p "$work/$name"
	train "$1" "$2" "$plain" "" >"$plain.out"
	train "$1" "$2" "$traced" "$build/libtrace.so" LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/$name/run" >"$traced.out"
	if cmp -s "$plain.out" "$traced.out" && grep -q 'status 0' "$plain.out"; then
		ok "$name: same output and status"
	else
		not_ok "$name: output or status differs: $(tail -n 2 "$plain.out" "$traced.out" "$traced/err" | tr '\n' ' ')"
	fi
	"$build/trace-analyzer" report --format json --output "$traced/report" "$work/$name/run" 2>"$traced/said"
	if out=$("$python" test/frameworks/judge.py "$traced/report" "$traced/own" "${classes[$2]}" 2>&1); then
		ok "$name: $out"
	else
		not_ok "$name: $out"
	fi
	if out=$("$python" test/frameworks/judge_device.py "$traced/report" "$traced/log" \
		--workers "${workers[$name]:-0}" --never "${never[$name]:-${never[$1]:-}}" --operators "${operators[$1]:-any}" 2>&1); then
		ok "$name: $out"
	else
		not_ok "$name: $out"
	fi
	rm -rf "${work:?}/$name"
}

# Folders with what a framework needs, separated by colons.
libraries() {
	local all="" folder need
	for need in ${needs[$1]}; do
		folder=$("$python" test/programs/libraries.py "test/frameworks/needs-$need.txt") || return 1
		all=${all:+$all:}$folder
	done
	echo "$all"
}

export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 CUDASIM_PYTHON=$python JAX_PLATFORMS=cuda TF_CPP_MIN_LOG_LEVEL=3
export CUDASIM_LIMIT=1000000 # what the device is said to compute for long is not to keep the host busy
for framework; do
	if ! found=$(libraries "$framework" 2>"$work/err"); then
		skip "$framework: $(tail -n 1 "$work/err")"
		continue
	fi
	export PYTHONPATH=$found
	if ! env "${device[$framework]}" test/cudasim/run true 2>"$work/err"; then
		skip "$framework: $(tail -n 1 "$work/err")"
		continue
	fi
	for mode in ${MODES:-${modes[$framework]}}; do
		check "$framework" "$mode"
	done
done
finish
