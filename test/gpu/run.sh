#!/bin/bash
# On a machine with a GPU: what the library records against what torch.profiler, the programs themselves and
# the clock say. Needs PyTorch and a built library; what is missing beside that is skipped. Also runs on the
# simulated device (test/cudasim/run test/gpu/run.sh), which tests the script and not a GPU.
# usage: test/gpu/run.sh [OUT [ROUNDS]]      traces and figures stay in OUT (default: a new folder)
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
library=$PWD/build/libtrace.so
out=${1:-$(mktemp -d)} rounds=${2:-5} steps=${STEPS:-200}
mkdir -p "$out"

# The same under the library; output and status must not change.
traced() { # name, command...
	local name=$1 plain status
	shift
	timeout 300 "$@" >"$out/$name.plain" 2>"$out/$name.plain.err"
	plain=$?
	timeout 300 env LD_PRELOAD="$library" LIBTRACE_LOG=error LIBTRACE_OUT="$out/$name" "$@" \
		>"$out/$name.traced" 2>"$out/$name.err"
	status=$?
	if [ "$plain" = "$status" ] && cmp -s "$out/$name.plain" "$out/$name.traced"; then
		ok "$name: same output and status"
	else
		not_ok "$name: output or status differs ($plain, $status): $(tail -n 2 "$out/$name.err")"
	fi
}

# The interpreter that can read traces; the one that has PyTorch may not.
reader=
for candidate in python3 /usr/bin/python3; do
	"$candidate" -c 'import msgpack, zstandard' 2>/dev/null && reader=$candidate && break
done

check() { # name, script, arguments...
	local name=$1 text
	shift
	if [ -z "$reader" ]; then
		skip "$name: no Python with msgpack and zstandard; later: $*"
	elif text=$("$reader" "$@" 2>&1); then ok "$name: $(tail -n 1 <<<"$text")"; else not_ok "$name: $text"; fi
}

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm --format=csv,noheader 2>/dev/null |
	tee "$out/gpu.txt"
python3 -c 'import torch; print("torch", torch.__version__, torch.version.cuda)' | tee -a "$out/gpu.txt"

python3 test/gpu/workload.py "$steps" --profile "$out/profile.json" >/dev/null 2>"$out/profile.err" ||
	not_ok "torch.profiler: $(tail -n 1 "$out/profile.err")"
traced workload python3 test/gpu/workload.py "$steps"
check "kernels against torch.profiler" test/gpu/compare_profiler.py "$out/profile.json" "$out"/workload/*.zst

# torch.profiler inside a traced run sees what it sees without us, and we say that it took over.
same_counts() { # profile, profile
	"$reader" - "$1" "$2" <<-'END'
		import json, sys
		one, other = ({name: count for name, (count, _) in json.load(open(path)).items()} for path in sys.argv[1:])
		print(f"{len(one)} names, {sum(one.values())} operations", one == other)
		sys.exit(one != other or not one)
	END
}
LD_PRELOAD=$library LIBTRACE_LOG=quiet LIBTRACE_OUT=$out/coexist timeout 300 python3 test/gpu/workload.py "$steps" \
	--profile "$out/coexist.json" >/dev/null 2>"$out/coexist.err"
if text=$(same_counts "$out/profile.json" "$out/coexist.json" 2>&1); then
	ok "torch.profiler beside us: $text"
else
	not_ok "torch.profiler beside us: $text $(tail -n 1 "$out/coexist.err")"
fi

if python3 -c 'import triton' 2>/dev/null; then
	traced triton python3 test/gpu/triton_kernel.py
	check "the Triton kernel" test/gpu/check_counts.py "$out/triton.plain" "$out"/triton/*.zst
else
	skip 'Triton: not there'
fi

if command -v nvcc >/dev/null && nvidia-smi >/dev/null 2>&1; then
	if nvcc -cudart static -arch=native -o "$out/static_runtime" test/gpu/static_runtime.cu 2>"$out/nvcc.err"; then
		traced static "$out/static_runtime"
		check "the vendor's static runtime" test/gpu/check_counts.py "$out/static.plain" "$out"/static/*.zst
	else
		not_ok "nvcc: $(head -n 2 "$out/nvcc.err")"
	fi
else
	skip "the vendor's static runtime: no nvcc or no GPU"
fi

if [ "$rounds" -gt 0 ]; then
	if test/gpu/slowdown.py "$library" "$out" "$rounds" "$steps" >"$out/slowdown.json" 2>"$out/slowdown.err"; then
		ok "slow-down: figures in slowdown.json, no limit"
	else
		not_ok "slow-down: $(tail -n 1 "$out/slowdown.err")"
	fi
fi
finish
