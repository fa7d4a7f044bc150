#!/bin/bash
# What a device record costs the process against memcpy and zstd of its bytes, in instructions (D1, and D1n where no
# hook has recorded the calls) and in time (D1t), what it weighs in the file (D2), and what the source costs a hooked
# call once it has begun (D3).
set -u
cd "$(dirname "$0")/../.." || exit 1
make --no-print-directory build/bench/bench_activity >&2 || exit 4
library=$(readlink -f build/libtrace.so) || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build=build
. test/bench/count.sh

build/bench/bench_activity "$work" >"$work/figures" || exit 4
ungated D1t activity_over_copy_in_time "$(sed -n 's/^ratio //p' "$work/figures")" ratio D1
line D2 activity_bytes "$(sed -n 's/^bytes //p' "$work/figures")" bytes/record 1.0 1.2 1.0
if command -v valgrind >/dev/null; then
	for hooks in 1 0; do
		BENCH_HOOKS=$hooks BENCH_ROUNDS=1 valgrind --tool=callgrind --callgrind-out-file="$work/counted$hooks" \
			build/bench/bench_activity "$work" >"$work/figures" 2>&1 || exit 4
	done
	line D1 activity_over_copy "$(against "$(inclusive "$work/counted1" collect_buffer flush_rest)" \
		"$(inclusive "$work/counted1" compress_plain)")" instr/instr 0.45 0.47 0.45
	line D1n activity_over_copy_without_hooks "$(against "$(inclusive "$work/counted0" collect_buffer flush_rest)" \
		"$(inclusive "$work/counted0" compress_plain)")" instr/instr 0.54 0.64 0.54
	gcc -O2 -shared -fPIC -o "$work/libstub.so" test/bench/bench_shim_stub.c &&
		gcc -O2 -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" test/bench/bench_cupti_stub.c &&
		gcc -O2 -shared -fPIC -Wl,-soname,libcupti.so.12 -o "$work/libcupti.so.12" test/bench/bench_cupti_stub.c &&
		gcc -O2 -o "$work/bench_calls" test/bench/bench_calls.c -L"$work" -lstub -Wl,-rpath,"$work" \
			-Wl,--no-as-needed "$work/libcuda.so.1" "$work/libcupti.so.12" || exit 4
	without=$(LIBTRACE_SOURCES=-activity count_recorded launch "$library" "$work/bench_calls" launch)
	with=$(count_recorded launch "$library" "$work/bench_calls" launch)
	# a source that was never on costs nothing
	state=$(for trace in "$LIBTRACE_OUT"/*.zst; do build/trace-analyzer dump "$trace"; done |
		sed -n 's/^source name=activity state=//p' | tail -n 1)
	[[ $state == active* ]] || { echo "# device activity was not on: $state" >&2 && with=; }
	line D3 activity_on_a_call "$(over "$with" "$without")" instr/call 0 1 0
else
	echo 'SKIP D1 D3: no valgrind'
fi
