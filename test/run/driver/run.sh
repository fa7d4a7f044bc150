#!/bin/bash
# Calls of the CUDA driver on the simulated device: programs that get at the driver in every way have each
# call in the trace once, as the device's own log has it, and do what they do without the library.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
. test/run/truth/truth.sh
build=$(readlink -f "${BUILD:-build}")
library=$build/libtrace.so
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-driver-XXXXXX")
trap 'rm -rf "$work"' EXIT
source=$PWD/test/run/driver
cuda=$build/cudasim/13
python=/usr/bin/python3
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD
export LD_LIBRARY_PATH=$cuda LIBTRACE_LOG=quiet CUDASIM_LAUNCH=1us

compile() { gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -I. "$@" -ldl || exit 4; }

build_all() {
	make -s -C test/cudasim BUILD="$build/cudasim" libraries >"$work/make" 2>&1 || { cat "$work/make"; exit 4; }
	compile -o "$work/calls" "$source/calls.c"
	compile -DDIRECT -o "$work/direct" "$source/calls.c" -L"$cuda" -lcuda
	local how
	for how in 'lazy -Wl,-z,lazy' 'now -Wl,-z,now' 'noplt -fno-plt'; do
		# shellcheck disable=SC2086 # words
		compile -DDIRECT -DLIBRARY ${how#* } -shared -fPIC -o "$work/libdeep-${how%% *}.so" "$source/calls.c" -L"$cuda" -lcuda
	done
	compile -o "$work/open" "$source/open.c"
	compile -DEARLY -shared -fPIC -o "$work/libearly.so" "$source/calls.c"
	echo 'int calls_run(void); int main(void) { return calls_run(); }' |
		compile -x c -o "$work/early" - -x none -L"$work" -learly -Wl,-rpath,"$work"
	compile -DMAKER -shared -fPIC -o "$work/libmaker.so" "$source/names.c" -Wl,--no-as-needed -L"$cuda" -lcuda
	compile -o "$work/names" "$source/names.c" -L"$cuda" -lcuda
	local major form
	for major in 12 13; do
		for form in LEGACY PER_THREAD; do
			compile -DCUDART_MAJOR=$major -D$form -o "$work/shared-$major-$form" "$source/runtime.c" -L"$build/cudasim/$major" -lcudart -lpthread
			compile -DCUDART_MAJOR=$major -D$form -o "$work/static-$major-$form" "$source/runtime.c" \
				"$build/cudasim/$major/libcudart_static.a" -lpthread
		done
	done
	build_stubs
	compile -o "$work/rows" "$source/rows.c"
	for major in 12 13; do
		compile -DRUNTIME="\"$major\"" -o "$work/rows-$major" "$source/rows.c"
		compile -DCUDART_MAJOR=$major -o "$work/boxes-$major" "$source/boxes.c" -L"$build/cudasim/$major" -lcudart -lpthread
		compile -DCUDART_MAJOR=$major -o "$work/static-boxes-$major" "$source/boxes.c" \
			"$build/cudasim/$major/libcudart_static.a" -lpthread
	done
	compile -o "$work/devices" "$source/devices.c" -L"$cuda" -lcudart -lcuda -lpthread
	compile -o "$work/reuse" "$source/reuse.c" -L"$cuda" -lcudart -lcuda
	compile -o "$work/answers" "$source/answers.c"
	echo '{ global: library_work; local: *; };' >"$work/map"
	compile -DCUDART_MAJOR=13 -shared -fPIC -Wl,--version-script="$work/map" -Wl,-Bsymbolic \
		-o "$work/libstatic.so" "$source/static.c" "$build/cudasim/obj/13/libcudart.o" -lpthread
	echo 'int library_work(void); int main(void) { return library_work(); }' |
		compile -x c -o "$work/static" - -x none -L"$work" -lstatic -Wl,-rpath,"$work"
	compile -DCUDART_MAJOR=13 -shared -fPIC -o "$work/libdynamic.so" "$source/static.c" -L"$cuda" -lcudart
	compile -DCUDART_MAJOR=13 -o "$work/dynamic" -x c "$source/static.c" - -x none -L"$cuda" -lcudart \
		<<<'int library_work(void); int main(void) { return library_work(); }'
}

# All names that a library exports.
names_of() { nm -D --defined-only "$1" | awk '$2 == "T" && $3 ~ /^(__)?cu/ { sub("@.*", "", $3); print "ROW(" $3 ")" }'; }

# Libraries that export the names of CUDA's, what is linked with them, what looks the same up itself, and a tracer.
build_stubs() {
	mkdir "$work/stub-driver" "$work/stub-runtime"
	names_of "$cuda/libcuda.so.1" >"$work/stub-driver/rows.inc"
	names_of "$cuda/libcudart.so.13" >"$work/stub-runtime/rows.inc"
	compile -DLIBRARY='"libcuda.so.1"' -I"$work/stub-driver" -shared -fPIC -o "$work/libstubdriver.so" "$source/stub.c"
	compile -DLIBRARY='"libcudart.so.13"' -I"$work/stub-runtime" -shared -fPIC -o "$work/libstubruntime.so" "$source/stub.c"
	compile -DDIRECT -DLIBRARY -shared -fPIC -o "$work/libonstub.so" "$source/calls.c" \
		-L"$work" -lstubdriver -Wl,-rpath,"$work"
	compile -DCUDART_MAJOR=13 -shared -fPIC -o "$work/libruntimeonstub.so" "$source/static.c" \
		-L"$work" -lstubruntime -Wl,-rpath,"$work"
	compile -DLIBRARY -shared -fPIC -o "$work/liblooksup.so" "$source/calls.c"
	compile -shared -fPIC -o "$work/libtracer.so" "$source/tracer.c"
}

# Functions of the trace with the given kinds, one a line.
functions() { "$build/trace-analyzer" dump "$work/out" 2>/dev/null | grep -o ' cu[a-zA-Z0-9_]*' | tr -d ' '; }

state() { "$build/trace-analyzer" dump "$work/out" | sed -n 's/^source name=driver state=\([a-z]*\).*/\1/p' | tail -n 1; }
state_reason() { "$build/trace-analyzer" dump "$work/out" | sed -n 's/^source name=driver state=active *\(.*\)/\1/p' | tail -n 1 | sed 's/^reason=$//'; }

test_places() {
	local place
	for place in dlsym deepbind old new 'dlsym ptsz' 'new ptsz' 'old ptsz'; do
		# shellcheck disable=SC2086 # words
		both "driver by $place" "$work/calls" $place
		compare "driver by $place" 35
		compare_device "driver by $place" 5
		equal "driver by $place: the source is active" active "$(state)"
	done
	CALLS_LATE=1 both 'a driver that is loaded when recording has begun' "$work/calls" dlsym
	equal 'a late driver: the source is active' active "$(state)"
	both 'driver by direct link' "$work/direct"
	compare 'driver by direct link' 35
	compare_device 'driver by direct link' 5
	for place in dlsym old new; do
		CALLS_FROM=$place both "driver by $place in a constructor before ours" "$work/early"
		compare "driver by $place in a constructor before ours" 35
		compare_device "driver by $place in a constructor before ours" 0
	done
}

# A library that is linked with libcuda or has the runtime in it, opened with its own dependencies first.
test_deepbind() {
	local how
	for how in lazy now noplt; do
		both "opened with RTLD_DEEPBIND, $how" "$work/open" "$work/libdeep-$how.so" calls_run deep
		compare "opened with RTLD_DEEPBIND, $how" 35
		compare_device "opened with RTLD_DEEPBIND, $how" 5
	done
	both 'the same without RTLD_DEEPBIND' "$work/open" "$work/libdeep-lazy.so" calls_run
	compare 'the same without RTLD_DEEPBIND' 35
	compare_device 'the same without RTLD_DEEPBIND' 5
	both 'a hidden runtime, opened with RTLD_DEEPBIND' "$work/open" "$work/libstatic.so" library_work deep
	compare 'a hidden runtime, opened with RTLD_DEEPBIND' 8 --static
	compare_device 'a hidden runtime, opened with RTLD_DEEPBIND' 1
	both 'the shared runtime, opened with RTLD_DEEPBIND' "$work/open" "$work/libdynamic.so" library_work deep
	compare 'the shared runtime, opened with RTLD_DEEPBIND' 8
	compare_device 'the shared runtime, opened with RTLD_DEEPBIND' 1
	equal 'the driver has nothing to complain' '' "$(state_reason)"
}

# A library that is opened with global scope and exports the driver's names, or the runtime's, and beside
# it one that looks the driver's functions up by itself, as cuBLAS does.
test_stubs() {
	local place name
	for place in dlsym old new; do
		name="names of the driver in a library that comes late, and $place"
		CALLS_FROM=$place both "$name" "$work/open" "$work/libonstub.so" calls_run global "$work/liblooksup.so" calls_run
		compare "$name" 70
		compare_device "$name" 10
		name="$place, and names of the driver in a library that comes later"
		CALLS_FROM=$place both "$name" "$work/open" "$work/liblooksup.so" calls_run local "$work/libonstub.so" calls_run global
		compare "$name" 70
		compare_device "$name" 10
	done
	name='names of the runtime in a library that comes late'
	both "$name" "$work/open" "$work/libruntimeonstub.so" library_work global "$work/libdynamic.so" library_work
	compare "$name" 16
	compare_device "$name" 2
}

# Another tracer's function is called as often as without the library, whichever stands before the other.
test_tracer() {
	local order how name
	for order in "$work/libtracer.so:\$LD_PRELOAD" "\$LD_PRELOAD:$work/libtracer.so"; do
		for how in direct "open $work/libdeep-lazy.so calls_run" "open $work/libonstub.so calls_run global"; do
			name="another tracer ${order:+$([ "${order::1}" = / ] && echo before || echo behind)}, ${how%% *} ${how##*/}"
			both "$name" sh -c "LD_PRELOAD=\"$order\" exec $work/$how"
			equal "$name: it sees the launches" 'launches seen: 8' "$(grep 'launches seen' "$work/traced")"
			compare "$name" 35
			compare_device "$name" 5
		done
	done
}

test_answers() {
	both 'odd questions' "$work/answers"
	equal 'nothing is made up' 'before: 0
message: 1
program: 0' "$(head -n 3 "$work/traced")"
}

test_names() {
	both 'handles that no hook saw made' "$work/names" "$work/libmaker.so"
	equal 'their names are asked for, but not during a capture nor after the unload' \
		"unseen_kernel - captured_kernel - captured_kernel" "$(kernels)"
}

# Every row: the call is in the trace under its name and with its result.
test_rows() {
	local expected
	both 'every driver function' "$work/rows"
	compare 'every driver function' 150
	expected=$(grep -v 'is missing' "$work/plain" | awk '{ print $1 }' | sort -u | wc -l)
	equal 'none is missing' "$expected" "$(printf '#define HOOK_ROW(library, ...) @@library\n#include "preload/calls/hooks.def"\n' |
		gcc -E -P -I. -x c - | tr '\n' ' ' | grep -o '@@ *cuda ' | wc -l)"
}

# What the vendor's runtime 13 has no more; 12.8 has all.
gone_13='cudaEventElapsedTime_v2
cudaLaunchCooperativeKernelMultiDevice
cudaMemAdvise_v2
cudaMemPrefetchAsync_v2
cudaMemPrefetchAsync_v2_ptsz
cudaStreamUpdateCaptureDependencies_v2
cudaStreamUpdateCaptureDependencies_v2_ptsz
cudaThreadSynchronize'

# Every row of the runtime with nothing; arrays, boxes and batches with data.
test_runtime_rows() {
	local major gone=
	for major in 12 13; do
		[ $major = 12 ] || gone=$gone_13
		export LD_LIBRARY_PATH=$build/cudasim/$major
		both "every function of runtime $major" "$work/rows-$major"
		compare "every function of runtime $major" 140
		equal "runtime $major: what is missing" "$gone" "$(sed -n 's/ is missing$//p' "$work/plain" | LC_ALL=C sort)"
		both "arrays, boxes and batches, runtime $major" "$work/boxes-$major"
		compare "arrays, boxes and batches, runtime $major" 45
		compare_device "arrays, boxes and batches, runtime $major" 25
		both "arrays, boxes and batches, runtime $major linked in" "$work/static-boxes-$major"
		compare "arrays, boxes and batches, runtime $major linked in" 45 --static
		# one copy between arrays is two driver calls there, which share the runtime's record
		compare_device "arrays, boxes and batches, runtime $major linked in" 25 96
	done
	export LD_LIBRARY_PATH=$cuda
}

test_devices() {
	CUDASIM_DEVICES=2 both 'two devices' "$work/devices"
	CUDASIM_DEVICES=2 compare 'two devices' 40
	compare_device 'two devices' 5
}

# A handle that stands for another kernel never has the old one's name.
test_reuse() {
	CUDASIM_REUSE=1 both 'handles that are used again' "$work/reuse" "$work/libmaker.so"
	compare 'handles that are used again' 20 --unseen=cuModuleLoadData
	compare_device 'handles that are used again' 1
}

# The runtime shared and linked in, with the legacy default stream and one per thread.
test_runtime() {
	local major form
	for major in 12 13; do
		for form in LEGACY PER_THREAD; do
			export LD_LIBRARY_PATH=$build/cudasim/$major
			both "shared runtime $major, $form" "$work/shared-$major-$form"
			compare "shared runtime $major, $form" 110
			compare_device "shared runtime $major, $form" 20
			both "runtime $major linked in, $form" "$work/static-$major-$form"
			compare "runtime $major linked in, $form" 110 --static
			compare_device "runtime $major linked in, $form" 20
		done
	done
	export LD_LIBRARY_PATH=$cuda
}

test_static() {
	both 'a library with a hidden runtime' "$work/static"
	compare 'a library with a hidden runtime' 8 --static
	compare_device 'a library with a hidden runtime' 1
	both 'the same with the shared runtime' "$work/dynamic"
	compare 'the same with the shared runtime' 8
	compare_device 'the same with the shared runtime' 1
	equal 'nested driver calls are not recorded' '' "$(functions | grep '^cu[A-Z]')"
}

test_off() {
	local program
	for program in 'calls new' direct static; do
		export LIBTRACE_SOURCES=-driver
		# shellcheck disable=SC2086 # words
		both "$program with LIBTRACE_SOURCES=-driver" "$work"/$program
		unset LIBTRACE_SOURCES
		equal "$program: nothing of the driver is there" '' "$(functions)"
	done
	LIBTRACE_ENABLE=0 both 'LIBTRACE_ENABLE=0' "$work/calls" new
	equal 'LIBTRACE_ENABLE=0: no trace' '' "$(ls "$work/out" 2>/dev/null)"
	LIBTRACE_SOURCES=-runtime both 'LIBTRACE_SOURCES=-runtime' "$work/static"
	compare 'LIBTRACE_SOURCES=-runtime leaves the driver' 8 --static
}

# Instructions per call of the first thread, without start and end.
count() { # preloaded library, what
	local calls totals=()
	for calls in 100000 200000; do
		rm -f "$work"/callgrind*
		LD_LIBRARY_PATH=$work LD_PRELOAD=$1 LIBTRACE_OUT=$work/out LIBTRACE_RING_KB=65536 valgrind --tool=callgrind \
			--separate-threads=yes --callgrind-out-file="$work/callgrind" "$work/cost" "$2" $calls >/dev/null 2>&1
		totals+=("$(cat "$work"/callgrind-01 "$work"/callgrind 2>/dev/null | sed -n 's/^totals: //p' | head -n 1)")
	done
	awk "BEGIN { printf \"%.2f\", (${totals[1]:-0} - ${totals[0]:-0}) / 100000 }"
}

test_cost() {
	local runtime driver nested
	if ! command -v valgrind >/dev/null; then
		skip 'cost of a driver call: no valgrind'
		return
	fi
	compile -DSTUB -shared -fPIC -Wl,-soname,libcost.so -o "$work/libcost.so" "$source/cost.c"
	compile -o "$work/cost" "$source/cost.c" -L"$work" -lcost
	runtime=$(awk "BEGIN { print $(count "$library" runtime) - $(count '' runtime) }")
	driver=$(awk "BEGIN { print $(count "$library" driver) - $(count '' driver) }")
	nested=$(awk "BEGIN { print $(count "$library" nested) - $(count '' nested) - $runtime }")
	# it looks whether the frame of a call that seems to be in progress is still there, which a runtime call need not
	if awk "BEGIN { exit !($driver > 20 && $driver < $runtime + 20) }"; then
		ok "a driver call costs $driver instructions, a runtime call $runtime"
	else
		not_ok "a driver call costs $driver instructions, a runtime call $runtime"
	fi
	if awk "BEGIN { exit !($nested > 0 && $nested <= 20) }"; then ok "a nested driver call costs $nested"; else not_ok "a nested driver call costs $nested"; fi
}

build_all
test_places
test_deepbind
test_stubs
test_tracer
test_answers
test_names
test_rows
test_runtime_rows
test_devices
test_reuse
test_runtime
test_static
test_off
test_cost
finish
