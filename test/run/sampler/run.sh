#!/bin/bash
# Stacks of threads that run on: every line that was seen is one of its function, whatever the threads do
# meanwhile, also under ASan; and the shares of functions whose time is known, per Python found.
# usage: test/run/sampler/run.sh [--reads N] [PYTHON...]
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
out=$PWD/build/run/sampler
reads=60000
[ "${1:-}" != --reads ] || { reads=$2 && shift 2; }
mkdir -p "$out"

build_probe() { # file, flags...
	local file=$1
	shift
	"${CC:-gcc}" -std=gnu17 -I. -D_GNU_SOURCE -g -Wall -Wextra -fPIC -shared -fvisibility=hidden \
		-ftls-model=initial-exec -ffunction-sections -Wl,--gc-sections "$@" -o "$out/$file" \
		test/run/sampler/probe.c preload/sampler/*.c \
		preload/python/*.c preload/frameworks/frameworks.c preload/linker/*.c \
		preload/thread/{peek,thread,threadmem,arena}.c \
		collector/{buffer/define,buffer/live,base/intern,codec/crc32c}.c collector/own/*.c -lpthread
}

interpreters() {
	local minor path
	for minor in 8 9 10 11 12 13 14; do
		for path in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor*/bin/python "/usr/bin/python3.$minor"; do
			[ ! -x "$path" ] || { echo "$path" && continue 2; }
		done
		echo "none 3.$minor"
	done
}

churn() { # name, python, reads, probe, preload
	local log=$out/$1.log
	if LD_PRELOAD=$5 ASAN_OPTIONS=detect_leaks=0 timeout 300 "$2" -W ignore \
		test/run/sampler/churn.py "$out/$4" "$3" >"$log" 2>&1; then
		ok "$1: $(head -n 1 "$log")"
	else
		not_ok "$1"
		head -n 20 "$log"
	fi
}

# Threads whose time goes 60, 30, 10 % into three functions, as they measured it themselves.
shares() { # name, python, seconds, threads
	local log=$out/$1.log try
	for try in 1 2 3; do
		rm -rf "$out/$1"
		CUDASIM_TORCH=none CUDASIM_CUDA=12 test/cudasim/run env LD_PRELOAD="$PWD/build/libtrace.so" \
			LIBTRACE_LOG=quiet LIBTRACE_OUT="$out/$1" \
			"$2" test/run/sampler/shares.py 12 "$3" "$4" >"$log" 2>&1 &&
			build/trace-analyzer dump "$out/$1" >"$log.dump" &&
			/usr/bin/python3 test/run/sampler/judge.py "$log" "$log.dump" >"$log.judged" && break
		[ "$try" = 3 ] && return 1
	done
}

check_shares() { # name
	if [ "$(cat "$out/$1.status")" = 0 ]; then
		ok "$1: $(cat "$out/$1.log.judged")"
	else
		not_ok "$1"
		cat "$out/$1.log" "$out/$1.log.judged"
	fi
}

build_probe probe.so -O2 -Wl,-z,defs || not_ok "probe does not build"
build_probe asan.so -O1 -fsanitize=address || not_ok "probe does not build with ASan"
make -s -C test/cudasim BUILD="$PWD/build/cudasim" programs || exit 4
if [ $# -gt 0 ]; then
	list=$(printf '%s\n' "$@")
else
	list=$(interpreters)
fi
names=()
while read -r python version; do
	if [ "$python" = none ]; then
		skip "no Python $version on this machine"
		continue
	fi
	version=$("$python" -c 'import sys, ctypes; print(*sys.version_info[:2], sep=".")') || {
		skip "$python: no ctypes"
		continue
	}
	churn "churn-$version" "$python" "$reads" probe.so ""
	churn "asan-$version" "$python" $((reads / 2)) asan.so "$(gcc -print-file-name=libasan.so)"
	names+=("shares-$version" "threads-$version")
	{ shares "shares-$version" "$python" 10 1; echo $? >"$out/shares-$version.status"; } &
	{ shares "threads-$version" "$python" 10 16; echo $? >"$out/threads-$version.status"; } &
	wait
done <<<"$list"
for name in "${names[@]}"; do
	check_shares "$name"
done
[ ${#names[@]} -gt 0 ] || not_ok "no interpreter to test with"
finish
