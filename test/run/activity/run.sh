#!/bin/bash
# Device activity on the simulated device: what the trace says of the device is what the device did, for
# every release of CUPTI that is played, under every fault it can have, and however a process ends; and the
# program does what it does without the library.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=$(readlink -f "${BUILD:-build}")
library=$build/libtrace.so
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-activity-XXXXXX")
trap 'rm -rf "$work"' EXIT
source=$PWD/test/run/activity
python=/usr/bin/python3
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD CUDASIM_CUPTI
export CUDASIM_LAUNCH=1us CUDASIM_LOG_FLUSH=0

compile() { gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -I. "$@" -lpthread -ldl || exit 4; }

build_all() {
	local major
	make -s -C test/cudasim BUILD="$build/cudasim" programs >"$work/make" 2>&1 ||
		{ cat "$work/make"; exit 4; }
	for major in 12 13; do
		compile -DCUDART_MAJOR=$major -o "$work/work$major" "$source/work.c" -L"$build/cudasim/$major" -lcudart -lcuda
		mkdir "$work/bare$major"
		cp "$build/cudasim/$major/libcudart.so.$major" "$build/cudasim/$major/libcuda.so.1" "$work/bare$major"
	done
	compile -DCUDART_MAJOR=12 -o "$work/hidden12" "$source/work.c" "$build/cudasim/12/libcudart_static.a" \
		-L"$build/cudasim/12" -lcuda
	compile -o "$work/driver" test/run/driver/calls.c
	use 13
}

use() { major=$1 && export LD_LIBRARY_PATH=$build/cudasim/$1; }

# Run plainly and under the library; output and status must be the same. The trace is in $work/out, the
# device's log in $work/log, what was said on stderr in $work/said.
both() { # name, command...
	local name=$1 plain traced
	shift
	rm -rf "$work/out" "$work/log"
	timeout 120 "$@" >"$work/plain" 2>/dev/null </dev/null
	plain=$?
	CUDASIM_LOG=$work/log LD_PRELOAD=$library${PRELOAD:+:$PRELOAD} LIBTRACE_OUT=$work/out timeout 120 "$@" \
		>"$work/traced" 2>"$work/said" </dev/null
	traced=$?
	"$build/trace-analyzer" dump "$work/out" >"$work/dump" 2>/dev/null
	if [ $plain != $traced ] || [ $plain = 124 ] || ! cmp -s "$work/plain" "$work/traced"; then
		not_ok "$name: status $plain, $traced: $(diff "$work/plain" "$work/traced" | head -n 4 | tr '\n' ' ')"
		return 1
	fi
}

# The device's log against the trace.
compare() { # name, least number of operations, options...
	local name=$1 least=$2 out
	shift 2
	out=$("$python" test/run/truth/compare_device.py "$@" "$work/log" "$work/out"/*.zst 2>&1)
	if [ $? = 0 ] && [ "$(tail -n 1 <<<"$out" | cut -d' ' -f1)" -ge "$least" ] &&
		[ "$(tail -n 1 <<<"$out" | cut -d' ' -f4)" = 0 ]; then
		ok "$name: $(tail -n 1 <<<"$out")"
	else
		not_ok "$name: $(head -n 4 <<<"$out" | cut -c1-300) $(tail -n 1 <<<"$out")"
	fi
}

check() { # name, least, command...
	local name=$1 least=$2
	shift 2
	both "$name" "$@" && compare "$name" "$least"
}

state() { sed -n 's/^source name=activity state=\([a-z]*\) reason=\(.*\)/\1 \2/p' "$work/dump" | tail -n 1; }
count() { sed -n "s/^count name=$1 value=//p" "$work/dump" | tail -n 1; }
lost() { sed -n 's/^libtrace: .* bytes, \([0-9]*\) lost.*/\1/p' "$work/said"; }
matched() { "$build/trace-analyzer" report --format=json "$work/out" | sed -n 's/.*"matched_pct": \([0-9.]*\).*/\1/p'; }
changes() { sed -n 's/.* source_state .*state=\([a-z]*\).*/\1/p' "$work/dump" | paste -sd' '; }

equal() { # name, expected, got
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: expected '$2', got '$3'"; fi
}

# Whether calls are referred to. What is taken in the first turns cannot be, and a busy machine may have few turns.
referred() {
	"$python" - "$work/out"/*.zst <<-'END'
		import io, sys
		sys.path.insert(0, "scripts")
		sys.dont_write_bytecode = True
		import msgpack, read_trace
		items = [item["t"] for path in sys.argv[1:] for content in read_trace.Trace(path).contents()
		         for item in msgpack.Unpacker(io.BytesIO(content), unicode_errors="replace")]
		print("yes" if items.count("matched") > 0 or items.count("events") < 40 else "no")
	END
}

test_releases() {
	local release
	for release in 11.7 11.8 12.0 12.3 12.4 12.8; do
		use 12
		CUDASIM_CUPTI="version=$release" check "release $release" 64 "$work/work12"
	done
	for release in 13.0 13.1 13.3 13.5; do
		use 13
		CUDASIM_CUPTI="version=$release" check "release $release" 64 "$work/work13"
	done
	equal 'it began and ended' 'active ended' "$(changes)"
	equal 'and is known as active' 'active ' "$(state)"
	equal 'the analyzer finds the operations of each call' 100.0 "$(matched)"
	check 'calls of the driver' 10 "$work/driver" dlsym
	check 'a training loop' 900 "$build/cudasim/13/train_loop" healthy
	equal 'of calls that hooks have recorded it is only said which ones they are' yes "$(referred)"
	check 'threads' 280 "$work/work13" threads 8
}

# Faults of what is delivered: everything else is right, and each is counted.
test_delivery() {
	local fault
	for fault in 'late=300ms' 'delay=1ms;fail=cuptiActivityFlushPeriod:1=27' 'batch=7' 'nested=1'; do
		CUDASIM_CUPTI=$fault check "$fault" 64 "$work/work13"
	done
	both 'drop=5' env CUDASIM_CUPTI=drop=5 "$work/work13" && compare 'drop=5' 50 --lost 12
	equal 'drop=5: the closing line and the counter say so' '12 12' "$(lost) $(count activity_dropped)"
	CUDASIM_CUPTI=zero=5 check 'zero=5' 64 "$work/work13"
	equal 'zero=5: counted and flagged' '12 12' \
		"$(count activity_no_times) $(grep -c 'device_.*flags=.*no_times\|device_.*flags=1$\|device_.*flags=0x1' "$work/dump")"
	CUDASIM_CUPTI=null=4 check 'null=4' 64 "$work/work13"
	equal 'null=4: counted' 8 "$(count activity_no_name)"
	CUDASIM_CUPTI='reorder=6' check 'reorder=6' 64 "$work/work13"
	if [ "$(count activity_out_of_order)" -gt 0 ]; then ok 'reorder=6: counted'; else not_ok 'reorder=6: not counted'; fi
}

# Buffers that come faster than they can be read: nothing is refused, what is thrown away is counted.
test_flood() {
	local read discarded all device=0 calls attempt
	# a quick reader may keep up
	for ((attempt = 0; attempt < 8; attempt++)); do
		both 'a flood of buffers' env CUDASIM_CUPTI='batch=1;delay=400ms' "$build/cudasim/13/train_loop" launch_bound 20 || return
		[ -z "$(count activity_discarded)" ] || break
	done
	read=$(count activity_records) discarded=$(count activity_discarded)
	device=$(grep -c '"type":"op","op":"\(kernel\|memcpy\|memset\)' "$work/log")
	calls=$(grep -c ' source_state\| sync ' "$work/dump")
	all=$((read + discarded - $(grep -c ' overhead ' "$work/dump")))
	equal 'a flood of buffers: what is thrown away is what is lost' "$discarded" "$(lost)"
	# every operation and its call, and a few waits and overheads
	if [ "${discarded:-0}" -gt 0 ] && [ $all -ge $((2 * device)) ] && [ $all -le $((2 * device + calls + 100)) ]; then
		ok "a flood of buffers: $read read and $discarded lost are all of them"
	else
		not_ok "a flood of buffers: $read read, $discarded lost, $device operations"
	fi
}

# Every function that is called fails once, and always: named, and the hooks go on.
test_failures() {
	local function
	for function in cuptiGetVersion cuptiSetThreadIdType cuptiActivityRegisterTimestampCallback \
		cuptiActivityRegisterCallbacks cuptiActivityFlushPeriod cuptiActivityEnable \
		cuptiActivityEnableRuntimeApi cuptiActivityEnableDriverApi; do
		both "$function fails" env CUDASIM_CUPTI="fail=$function:1=35" "$work/work13" || continue
		equal "$function fails: named" "failed $function: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)" "$(state)"
		equal "$function fails: no device records, all calls" '0 16' \
			"$(grep -c ' device_' "$work/dump") $(grep -c ' launch .*kernel=' "$work/dump")"
	done
	both 'a kind that is not needed' env CUDASIM_CUPTI=fail=cuptiActivityEnable:4=21 "$work/work13" &&
		compare 'a kind that is not needed' 64
	both 'a needed kind that is not there' env CUDASIM_CUPTI=fail=cuptiActivityEnable:1=21 "$work/work13" &&
		equal 'a needed kind that is not there' 'failed cuptiActivityEnable: CUPTI_ERROR_INVALID_KIND (21)' "$(state)"
	both 'an error without a name' env 'CUDASIM_CUPTI=fail=cuptiActivityEnable:1=15;fail=cuptiGetResultString:*=1' \
		"$work/work13" && equal 'an error without a name' 'failed cuptiActivityEnable: error 15' "$(state)"
	both 'flushes fail' env CUDASIM_CUPTI='fail=cuptiActivityFlushAll:*=999' "$work/work13" &&
		equal 'flushes fail' 'failed cuptiActivityFlushAll: CUPTI_ERROR_UNKNOWN (999)' "$(state)"
	both 'reading fails once' env CUDASIM_CUPTI='fail=cuptiActivityGetNextRecord:9=999' "$work/work13" &&
		compare 'reading fails once' 64
	both 'reading fails' env CUDASIM_CUPTI='fail=cuptiActivityGetNextRecord:*=999' "$work/work13" &&
		equal 'reading fails: named, and lost' '1 failed cuptiActivityGetNextRecord: CUPTI_ERROR_UNKNOWN (999)' "$(lost) $(state)"
	if [ "$(count activity_unread_bytes)" -gt 10000 ]; then ok 'reading fails: bytes are counted'; else not_ok 'unread bytes'; fi
	both 'losses cannot be asked for' env CUDASIM_CUPTI='fail=cuptiActivityGetNumDroppedRecords:*=15' "$work/work13" &&
		equal 'losses cannot be asked for' 'failed cuptiActivityGetNumDroppedRecords: CUPTI_ERROR_NOT_INITIALIZED (15)' "$(state)"
	both 'another subscriber' env CUDASIM_CUPTI=subscriber=1 "$work/work13" && compare 'another subscriber' 64
}

test_library() {
	export LD_LIBRARY_PATH=$work/bare12
	if [ -n "$(ldconfig -p 2>/dev/null | grep 'libcupti\.so\.12')" ]; then
		skip 'no libcupti: one is installed'
	else
		both 'no libcupti' "$work/work12" && equal 'no libcupti' 'absent no libcupti was found' "$(state)"
	fi
	cp "$build/cudasim/12/libcupti.so.12" "$work/bare12"
	check 'beside the runtime' 64 "$work/work12"
	use 12
	PRELOAD=$build/cudasim/11/libcupti.so.11.8 both 'a libcupti of another major version' "$work/work12" &&
		equal 'a libcupti of another major version' \
			'failed libcupti.so.11.8 does not fit the CUDA runtime, which is 12' "$(state)"
	PRELOAD=$build/cudasim/13/libcupti.so.13:$build/cudasim/12/libcupti.so.12 \
		check 'two of them, the wrong one first' 64 "$work/work12"
	# A runtime that is linked in says its version by what it asks the driver for, which may be newer.
	use 12
	export CUDASIM_DRIVER=13020
	PRELOAD=$build/cudasim/12/libcupti.so.12 check 'a runtime linked in, older than the driver' 64 "$work/hidden12"
	export LD_LIBRARY_PATH=$build/cudasim/12:$build/cudasim/13
	LD_DEBUG=files LD_PRELOAD=$library LIBTRACE_OUT=$work/out2 "$work/hidden12" >/dev/null 2>"$work/debug"
	equal 'its libcupti is opened' libcupti.so.12 "$(sed -n 's/.*calling init: .*\(libcupti.*\)/\1/p' "$work/debug" | paste -sd' ')"
	export LD_LIBRARY_PATH=$work/bare13
	cp "$build/cudasim/13/libcupti.so.13" "$work/bare13"
	check 'or that of the driver, where there is no other' 64 "$work/hidden12"
	rm "$work/bare13/libcupti.so.13"
	unset CUDASIM_DRIVER
	use 13
	export LIBTRACE_SOURCES=-activity
	both 'LIBTRACE_SOURCES=-activity' "$work/work13" && equal '-activity: off' 'off LIBTRACE_SOURCES' "$(state)"
	equal '-activity: nothing of the device' 0 "$(grep -c ' device_\| source_state ' "$work/dump")"
	LD_DEBUG=files LD_PRELOAD=$library LIBTRACE_OUT=$work/out2 "$work/work13" >/dev/null 2>"$work/debug"
	equal '-activity: libcupti is not opened' 0 "$(grep -c 'libcupti' "$work/debug")"
	LIBTRACE_SOURCES=activity both 'activity alone' "$work/work13" &&
		equal 'activity alone: the device and no calls' '32 0' \
			"$(grep -c ' device_kernel ' "$work/dump") $(grep -c ' launch ' "$work/dump")"
	unset LIBTRACE_SOURCES
}

test_ends() {
	local how
	for how in exit _exit quick_exit other exec fresh; do
		check "end by $how" 64 "$work/work13" $how
	done
	check 'cudaDeviceReset' 128 "$work/work13" reset
	both 'a reset is flushed before' env CUDASIM_CUPTI='fail=cuptiActivityFlushAll:2=35' "$work/work13" reset &&
		equal 'a reset is flushed before' 'failed cuptiActivityFlushAll: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (35)' "$(state)"
	check '500 forks' 564 "$work/work13" fork 500
	equal '500 forks: the children cannot use CUDA, as without the library' 'children: 0 500 0 0' "$(tail -n 1 "$work/traced")"
}

# Recording is off between two signals: what was called then is not there, what was called before is there however
# late it ran, and nothing is without its other half.
test_toggle() {
	export LIBTRACE_TOGGLE_SIGNAL=USR1
	both 'recording off and on' "$work/work13" toggle 9 || return
	equal 'off and on: launches (16 into graphs) and kernels of the device (24 of graphs)' '116 132 0' \
		"$(grep -c ' launch ' "$work/dump") $(grep -c ' device_kernel .*' "$work/dump") $(lost)"
	equal 'off and on: the state says so' 'active ended active ended active ended active ended active ended' "$(changes)"
	if [ "$(count activity_paused)" -ge 160 ]; then ok 'off and on: the rest is counted'; else not_ok "paused: $(count activity_paused)"; fi
	equal 'off and on: each has its other half' 100.0 "$(matched)"
	unset LIBTRACE_TOGGLE_SIGNAL
}

# SIGKILL: what was delivered is there, nothing is wrong, no end.
test_kill() {
	local tries pid
	rm -rf "$work/out" "$work/log"
	CUDASIM_LOG=$work/log LD_PRELOAD=$library LIBTRACE_OUT=$work/out LIBTRACE_LOG=quiet \
		"$work/work13" long 100000 >"$work/traced" 2>/dev/null &
	pid=$!
	for tries in $(seq 300); do
		[ "$(wc -l <"$work/traced")" -ge 400 ] && break
		sleep 0.1
	done
	sleep 0.5
	kill -9 $pid
	wait $pid 2>/dev/null
	"$build/trace-analyzer" dump "$work/out" >"$work/dump" 2>/dev/null
	if [ "$(grep -c ' device_kernel ' "$work/dump")" -gt 2000 ] && [ "$(changes)" = active ]; then
		ok "SIGKILL after $tries: $(grep -c ' device_kernel ' "$work/dump") kernels of the device are there"
	else
		not_ok "SIGKILL after $tries: $(grep -c ' device_kernel ' "$work/dump") kernels, states $(changes)"
	fi
}

build_all
test_releases
test_delivery
test_flood
test_failures
test_library
test_ends
test_toggle
test_kill
finish
