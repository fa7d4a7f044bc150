#!/bin/bash
# Ranges of NVTX: what programs and PyTorch mark is in the trace, in order and with its texts, and NVTX answers
# what it should; processes that have only inherited the variable are left alone. Needs no NVTX and no GPU; with
# NVTX's headers the same program is also compiled against them, with the wheels PyTorch's own ranges are checked.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-nvtx-XXXXXX")
trap 'rm -rf "$work"' EXIT
source=$PWD/test/run/nvtx
python=/usr/bin/python3
headers=$(for folder in /usr/local/cuda*/include; do [ -f "$folder/nvtx3/nvToolsExt.h" ] && echo "$folder"; done | head -n 1)
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD NVTX_INJECTION64_PATH

compile() { gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -I. "$@" -lpthread -ldl || exit 4; }
trace() { "$python" "$source/trace.py" "$work/out" "$@"; }
equal() { # name, expected, got
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: $(diff <(echo "$2") <(echo "$3") | head -n 5 | tr '\n' ' ')"; fi
}

# Run under the library; output in $work/said, status returned.
traced() {
	rm -rf "$work/out"
	(cd "$work" && WITH_TOOL=1 LD_PRELOAD="$library" LIBTRACE_OUT="$work/out" exec timeout 60 "$@") \
		>"$work/said" 2>"$work/errors" </dev/null
}

ranges() { # name, command...
	local name=$1
	shift
	if ! traced "$@"; then
		not_ok "$name: $(grep -v '^range' "$work/said" | head -n 3 | tr '\n' ' ')$(tail -n 1 "$work/errors")"
	elif grep -q '^range' "$work/said"; then
		equal "$name" "$(grep '^range' "$work/said")" "$(trace)"
	else
		not_ok "$name: the program said nothing"
	fi
}

# As many ranges are recorded or lost as the program says, and the reader complains of none.
whole() { # name
	local counts parts
	counts=$(trace counts)
	parts=$(tail -n 1 <<<"$counts" | sed 's/ recorded, / + /; s/ lost//')
	equal "$1 ($parts)" "$(sed -n 's/ ranges$//p' "$work/said")" "$(head -n -1 <<<"$counts")$((parts))"
}

test_program() { # what it is, program
	if "$2" >"$work/said"; then ok "$1: answers without a tool"; else not_ok "$1 without a tool: $(grep -v ^range "$work/said" | head -n 3)"; fi
	ranges "$1: every call" "$2" calls
	equal "$1: what did not fit is counted" '153 recorded, 72 lost' "$(trace counts)"
	equal "$1: and the report tells it" 1 "$(build/trace-analyzer report --format json "$work/out" 2>/dev/null |
		grep -c '"72 ranges or operators were not recorded')"
	equal "$1: the source is active" active "$(trace state)"
	export LIBTRACE_TOGGLE_SIGNAL=USR2
	ranges "$1: recording off and on between" "$2" toggle
	unset LIBTRACE_TOGGLE_SIGNAL
	ranges "$1: on both sides of a fork" "$2" fork
	traced "$2" storm
	whole "$1: threads that end each other's ranges"
	export LIBTRACE_RING_KB=4
	traced "$2" storm
	unset LIBTRACE_RING_KB
	whole "$1: the same through small buffers"
}

# Sources that do not want it, other tools, processes without the library.
test_left_alone() {
	local setting
	for setting in LIBTRACE_SOURCES=-nvtx LIBTRACE_ENABLE=0; do
		traced env -u WITH_TOOL $setting "$work/ranges"
		equal "$setting: answers without a tool" 0 $?
		equal "the variable is set" "$library" "$(LD_PRELOAD="$library" sh -c 'echo "$NVTX_INJECTION64_PATH"')"
		equal "$setting: the variable is not set" '' "$(env $setting LD_PRELOAD="$library" sh -c 'echo "$NVTX_INJECTION64_PATH"')"
		# A child of a traced process has inherited it.
		traced env -u WITH_TOOL $setting "NVTX_INJECTION64_PATH=$library" "$work/ranges"
		equal "$setting: answers without a tool in a child" 0 $?
	done
	compile -shared -fPIC -o "$work/libtool.so" "$source/tool.c"
	traced env -u WITH_TOOL NVTX_INJECTION64_PATH="$work/libtool.so" "$work/ranges" calls
	equal "another tool's variable is left as it is" 'the other tool' "$(grep tool "$work/said" | sort -u)"
	traced env -u WITH_TOOL NVTX_INJECTION64_PATH="$work/libtool.so" "$work/events"
	equal "and told" "yielded NVTX_INJECTION64_PATH is $work/libtool.so" "$(trace state)"
	# Without LD_PRELOAD the library is opened by NVTX alone: no file, no folder, no thread, no variable.
	rm -rf "$work/out" && mkdir "$work/alone"
	(cd "$work/alone" && NVTX_INJECTION64_PATH=$library LIBTRACE_OUT="$work/out" timeout 60 "$work/ranges" calls) \
		>"$work/said" 2>"$work/errors"
	equal 'opened without being preloaded: answers without a tool' 0 $?
	equal 'and nothing is left' '' "$(cat "$work/errors"; ls -A "$work/alone"; ls -d "$work/out" 2>/dev/null)"
	cp "$library" "$work/copy.so"
	traced env -u WITH_TOOL NVTX_INJECTION64_PATH="$work/copy.so" "$work/ranges" calls
	equal 'a second copy of the library declines' 0 $?
	(cd "$work" && ln -sf "$library" link.so && WITH_TOOL=1 LD_PRELOAD=./link.so LIBTRACE_OUT="$work/out" \
		timeout 60 "$work/ranges" calls >"$work/said" 2>"$work/errors")
	equal 'preloaded by a relative name' 0 $?
}

# The table and the layout are the vendor's.
check_abi() {
	{
		echo '#include "nvtx3/nvToolsExt.h"'
		echo '#define nvtx_version check_version'
		echo '#include "preload/nvtx/abi.h"'
		echo '#define NVTX(module, id, name, type, params, form) \
			_Static_assert(NVTX_CBID_##module##_##name == (id), #name); \
			_Static_assert(NVTX_CB_MODULE_##module == NVTX_##module, #module);'
		echo '#include "preload/nvtx/nvtx.def"'
		echo '#define SAME(ours, theirs) _Static_assert(offsetof(struct nvtx_attributes, ours) == \
			offsetof(nvtxEventAttributes_t, theirs), #ours);'
		echo 'SAME(version, version) SAME(size, size) SAME(category, category) SAME(color, color)
			SAME(payload_type, payloadType) SAME(payload, payload) SAME(message_type, messageType)
			SAME(message, message)'
		echo '_Static_assert(sizeof(struct nvtx_attributes) == sizeof(nvtxEventAttributes_t), "size");
			_Static_assert(sizeof(struct nvtx_callbacks) == sizeof(NvtxExportTableCallbacks), "size");
			_Static_assert(sizeof(struct check_version) == sizeof(NvtxExportTableVersionInfo), "size");
			_Static_assert((int)NVTX_TABLE_CALLBACKS == (int)NVTX_ETID_CALLBACKS, "table");
			_Static_assert((int)NVTX_TABLE_VERSION == (int)NVTX_ETID_VERSIONINFO, "table");'
		echo "${1:-}"
	} | gcc -std=gnu17 -Werror -Wno-unused -fsyntax-only -I. -I"$headers" -x c - 2>"$work/err"
}

test_headers() {
	if [ -z "$headers" ]; then
		skip 'NVTX: its headers are not here'
		return
	fi
	if check_abi; then ok 'table and layout are those of the headers'; else not_ok "table or layout: $(head -n 3 "$work/err")"; fi
	if check_abi '_Static_assert(NVTX_CBID_CORE_MarkEx == 2, "wrong");'; then not_ok 'a wrong number passes'; else ok 'a wrong number does not pass'; fi
	compile -DREAL_NVTX -I"$headers" -o "$work/real" "$source/ranges.c" "$source/other.c"
	test_program 'compiled with the true headers' "$work/real"
}

test_wheels() {
	local version
	for version in 2.9.1 2.15.0; do
		if ! test/cudasim/run --cached $version >/dev/null 2>&1; then
			skip "PyTorch $version: the wheel is not cached"
			continue
		fi
		rm -rf "$work/out"
		CUDASIM_TORCH=$version timeout 240 test/cudasim/run env LD_PRELOAD="$library" LIBTRACE_OUT="$work/out" \
			LIBTRACE_SOURCES=default python3 "$source/torch_ranges.py" >"$work/said" 2>"$work/errors" </dev/null
		equal "PyTorch $version: the program ends well" 0 $?
		equal "PyTorch $version: its ranges" "$(grep '^range' "$work/said")" "$(trace | grep -v ', seq = ')"
		# emit_nvtx: an operator's range is its name and a number
		equal "PyTorch $version: a range for each operator under emit_nvtx" "$(sed -n 's/^operator //p' "$work/said")" \
			"$(trace | sed -n 's/^range |\(aten::mm\), .*/\1/p')"
		equal "PyTorch $version: the lines that made them" "$(sed -n 's/^place //p' "$work/said")" \
			"$(trace places | grep torch_ranges)"
	done
}

mkdir -p "$work"
compile -o "$work/ranges" "$source/ranges.c" "$source/other.c"
# A process with an event of another source.
compile -shared -fPIC -DWHICH=12 -DRESULT=0 -Wl,-soname,libcudart.so.12 -o "$work/libcudart.so.12" test/run/hooks/runtime.c
echo 'int cudaMalloc(void **, unsigned long); int main(void) { void *at; return cudaMalloc(&at, 1); }' |
	compile -Wl,-rpath,"$work" -o "$work/events" -x c - -x none "$work/libcudart.so.12"
test_program 'a client of its own' "$work/ranges"
test_left_alone
test_headers
test_wheels
finish
