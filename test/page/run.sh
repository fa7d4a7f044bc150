#!/bin/bash
# The HTML report in headless Chromium: every section against the JSON report, sorting, search, links,
# themes, print, hostile names, no request and no complaint of the browser. Pictures stay in build/page-shots.
# usage: test/page/run.sh [--all]     --all: also a million events, Firefox, the demonstration; TRACE_ANALYZER: program under test, default build/trace-analyzer
set -u
cd "$(dirname "$0")/../.." || exit 1
export ANALYZER=${TRACE_ANALYZER:-$PWD/build/trace-analyzer}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for tool in chromium chromedriver; do
	command -v $tool >/dev/null && continue
	echo "FAIL $tool is missing (scripts/setup.sh test installs it)"
	echo '0 passed, 1 failed'
	exit 1
done
mkdir -p build/cli build/page-shots
make --no-print-directory -s build/libunits.a >&2 || exit 1
link() { # program, sources...
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -fPIE -I. -o "build/cli/$1" "${@:2}" build/libunits.a \
		-lmsgpackc -lzstd -lz -lelf -lm -ldl -lpthread || exit 1
}
link make_trace test/cli/make_trace.c test/cli/training_trace.c
link crowd test/page/crowd.c
for kind in small one training hostile; do
	build/cli/make_trace $kind "$work/$kind.msgpack.zst" || exit 1
done
build/cli/crowd "$work/crowd.msgpack.zst" 2000 || exit 1
mkdir "$work/ranks"
for rank in $(seq 0 199); do
	RANK=$rank build/cli/crowd "$work/ranks/host-$rank.msgpack.zst" 2 || exit 1
done
make --no-print-directory -s build/bench/tracegen >&2 || exit 1
build/bench/tracegen --events 20000 --device --out "$work/generated.msgpack.zst" >&2 || exit 1
make --no-print-directory -s build/libtrace.so >&2 || exit 1
PYTHONPATH=preload/marks/user LD_PRELOAD=$PWD/build/libtrace.so LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/alone /usr/bin/python3 -c '
import libtrace
for _ in range(30):
    sum(range(30000))
    libtrace.step()'
head -c 6000000 /dev/zero >"$work/batch"
PYTHONPATH=preload/marks/user LD_PRELOAD=$PWD/build/libtrace.so LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/reads /usr/bin/python3 -c '
import libtrace, os, sys
for _ in range(30):
    batch = os.open(sys.argv[1], os.O_RDONLY)
    os.read(batch, 6000000)
    os.close(batch)
    libtrace.step()' "$work/batch"
cp test/golden/v1.msgpack.zst "$work/golden.msgpack.zst"
limit=240
if [ "${1:-}" = --all ]; then
	limit=1200
	build/bench/tracegen --events 980000 --device --out "$work/million.msgpack.zst" >&2
	build/bench/tracegen --events 4000000 --device --out "$work/four.msgpack.zst" >&2
	if test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
		# What an event takes is judged where all are recorded: half as many make a smaller page, but not half of it.
		CUDASIM_KERNELS='*gemm*=1500us;*=60us' timeout 300 test/cudasim/run env LD_PRELOAD="$PWD/build/libtrace.so" \
			LIBTRACE_LOG=quiet LIBTRACE_BUDGET=off LIBTRACE_OUT="$work/demo" python3 scripts/demo_slow.py >/dev/null 2>&1
	fi
fi
timeout $limit python3 test/page/check.py "$work" build/page-shots "$@" || [ $? = 1 ] || {
	echo 'FAIL the checks did not come to an end'
	echo '0 passed, 1 failed'
	exit 1
}
