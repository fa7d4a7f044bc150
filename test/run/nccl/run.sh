#!/bin/bash
# Calls of NCCL: a program that calls a library of its name, well and badly, does the same with and without the
# recorder, and its calls are recorded as it made them; by name, by dlsym, after unloading, of two libraries at
# once, of a version that is not known. With a wheel of PyTorch (--wheels, or VERSION...) two ranks train with
# DistributedDataParallel on the simulated device: what is recorded against the device's log and torch.profiler.
# usage: test/run/nccl/run.sh [--wheels] [VERSION...]
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
analyzer=$(readlink -f "$build/trace-analyzer") || exit 4
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-nccl-XXXXXX")
trap 'rm -rf "$work"' EXIT
source=test/run/nccl
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD LIBTRACE_SOURCES

equal() { # name, expected, got
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: $(diff <(echo "$2") <(echo "$3") | head -n 8 | tr '\n' ' ')"; fi
}

compile() { # folder, version
	mkdir -p "$work/$1"
	gcc -O2 -g -shared -fPIC -DVERSION="$2" -Wl,-soname,libnccl.so.2 -o "$work/$1/libnccl.so.2" "$source/library.c" || exit 4
}

# The same without and with the library; its calls are in $work/out.
same() { # name, variable of LIBTRACE_... or -, command...
	local name=$1 set=$2
	shift 2
	rm -rf "$work/out"
	"$@" >"$work/plain" 2>&1 </dev/null
	local status=$?
	# shellcheck disable=SC2086 # none or one
	LD_PRELOAD=$library LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/out env ${set#-} "$@" >"$work/traced" 2>&1 </dev/null
	equal "$name: the same status and output" "$status $(<"$work/plain")" "$? $(<"$work/traced")"
}

# what, bytes, type, reduction, peer, rank of ranks, number, flags, result; is the communicator known?
records() {
	"$analyzer" dump -q --format json "$work/out" | /usr/bin/python3 "$source/records.py"
}
ranks() { "$analyzer" dump -q "$work/out" | sed -n 's/^run .* rank=\(-*[0-9]*\) world_size=\(-*[0-9]*\) .*/\1\/\2/p'; }
state() { "$analyzer" dump -q "$work/out" | sed -n 's/^source name=nccl //p' | tail -n 1; }

test_calls() {
	same calls - env "LD_LIBRARY_PATH=$work/two" "$work/linked" calls
	equal 'calls: recorded as they were made' "$(<"$source/calls.expected")" "$(records | sed '$d')"
	equal 'calls: those of four threads have every number once' '2 communicators, 4000 calls, numbers right' \
		"$(records | tail -n 1)"
	equal 'calls: the source is active' 'state=active reason=' "$(state)"
	equal 'calls: the rank is that in the largest communicator' '1/4' "$(ranks | tail -n 1)"
	same 'a rank that is known' - env RANK=3 WORLD_SIZE=8 "LD_LIBRARY_PATH=$work/two" "$work/linked" calls
	equal 'a rank that is known: stays' '3/8' "$(ranks | sort -u)"
	same 'threads that end inside of a group' - env "LD_LIBRARY_PATH=$work/two" "$work/linked" left
	equal 'threads that end inside of a group: a later one is its own' 'all_reduce 1' \
		"$(records | awk '$1 == "all_reduce" { print $1, $8 }' | xargs)"
	same 'switched off' LIBTRACE_SOURCES=-nccl env "LD_LIBRARY_PATH=$work/two" "$work/linked" calls
	equal 'switched off: nothing is recorded' '' "$(ls "$work/out" 2>/dev/null)"
}

test_loads() {
	same 'by dlsym' - "$work/loader" loads "$work/two/libnccl.so.2"
	equal 'by dlsym, of a library that is unloaded and loaded again: names and numbers' \
		'init 0 all_reduce 1 init 0 all_reduce 1 init 0 all_reduce 1' "$(records | awk '{ print $1, $8 }' | xargs)"
	same 'two of them' - "$work/loader" both "$work/two/libnccl.so.2" "$work/copy/libnccl.so.2"
	same 'a version to come' - env "LD_LIBRARY_PATH=$work/three" "$work/linked" calls
	equal 'a version to come: nothing is recorded' '' "$(ls "$work/out" 2>/dev/null)"
}

wheel() { # version
	local dir=$work/ddp-$1 how
	for how in plain profile; do
		mkdir -p "$dir/$how"
		if ! CUDASIM_TORCH=$1 timeout 300 test/cudasim/run env TRACED="$library" LIBTRACE_LOG=quiet \
			LIBTRACE_OUT="$dir/$how/run" python3 "$source/ddp.py" "$dir/$how" $how >"$dir/out" 2>&1; then
			not_ok "PyTorch $1, $how: $(tail -n 3 "$dir/out")"
			return
		fi
	done
	/usr/bin/python3 "$source/check.py" "$dir" "$analyzer" >"$dir/found" 2>&1 || not_ok "PyTorch $1: $(tail -n 1 "$dir/found")"
	while read -r verdict line; do
		case $verdict in
		ok) ok "PyTorch $1: $line" ;;
		wrong) not_ok "PyTorch $1: $line" ;;
		esac
	done <"$dir/found"
}

compile two 22705
compile copy 21805
compile three 30100
gcc -O2 -g -Wall -Werror -DLINKED -o "$work/linked" "$source/program.c" "$work/two/libnccl.so.2" -lpthread -ldl || exit 4
gcc -O2 -g -Wall -Werror -o "$work/loader" "$source/program.c" -lpthread -ldl || exit 4
test_calls
test_loads
[ "${1:-}" = --wheels ] && shift && [ $# = 0 ] && set -- 2.9.1 2.15.0
for version in "$@"; do wheel "$version"; done
finish
