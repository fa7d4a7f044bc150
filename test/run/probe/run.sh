#!/bin/bash
# LIBTRACE_PROBE: a program that calls a library in every way gives the same with the library's functions
# traced, and as many calls are recorded as it says it made; what cannot be traced is named. With a wheel of
# PyTorch the calls of its operators' functions are held against the operators that PyTorch itself tells.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
analyzer=$(readlink -f "$build/trace-analyzer") || exit 4
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-probe-XXXXXX")
trap 'rm -rf "$work"' EXIT
source=$PWD/test/run/probe
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD LIBTRACE_PROBE

equal() { # name, expected, got
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: $(diff <(echo "$2") <(echo "$3") | head -n 5 | tr '\n' ' ')"; fi
}

compile() { # now or lazy
	mkdir -p "$work/$1" && cd "$work/$1" || exit 4
	g++ -O0 -g -shared -fPIC "-Wl,-z,$1" -o libshapes.so "$source/library.cc" &&
		g++ -O0 -g -shared -fPIC "-Wl,-z,$1" -o libvisitor.so "$source/visitor.cc" -L. -lshapes "-Wl,-rpath,$PWD" &&
		g++ -O1 -g "-Wl,-z,$1" -o program "$source/program.cc" -L. -lshapes -lpthread -ldl "-Wl,-rpath,$PWD" || exit 4
	cd "$OLDPWD" || exit 4
}

# Run under the library; output in $work/said and $work/errors, status returned.
traced() { # list of functions, command...
	local list=$1
	shift
	rm -rf "$work/out"
	LD_PRELOAD="$library" LIBTRACE_PROBE="$list" LIBTRACE_OUT="$work/out" timeout 60 "$@" \
		>"$work/said" 2>"$work/errors" </dev/null
}

calls() { "$analyzer" dump -q --kind op "$work/out" | sed -n 's/.* name=\([^ ]*\) .*framework=probe.*/\1/p' | sort | uniq -c | awk '{ print $2, $1 }'; }
state() { "$analyzer" dump -q "$work/out" | sed -n 's/^source name=probe //p' | tail -n 1; }

test_calls() {
	local how mode
	for how in now lazy; do
		compile $how
		for mode in shapes vectors throws leaps recursion threads ends "unloads $work/$how/libvisitor.so"; do
			# shellcheck disable=SC2086 # a mode and its argument
			"$work/$how/program" $mode >"$work/expected" 2>"$work/counts" || exit 4
			# shellcheck disable=SC2086
			LIBTRACE_LOG=quiet traced 'libshapes:shapes::*;libshapes:plain' "$work/$how/program" $mode
			equal "$how, ${mode%% *}: the same status and output" "0 $(cat "$work/expected")" "$? $(cat "$work/said")"
			equal "$how, ${mode%% *}: as many calls as it made" "$(sort "$work/counts")" "$(calls)"
		done
	done
}

test_lists() {
	local program=$work/now/program
	LIBTRACE_LOG=quiet traced 'libshapes:shapes::p?ir' "$program" shapes
	equal 'a pattern' 'shapes::pair 1' "$(calls)"
	LIBTRACE_LOG=quiet traced 'libshapes.so:_ZN6shapes4pairEd' "$program" shapes
	equal 'a name as compiled' 'shapes::pair 1' "$(calls)"
	LIBTRACE_LOG=quiet traced 'libnone:f;libshapes:gone;libc:malloc;libshapes:plain' "$program" shapes
	equal 'what finds nothing is named' "state=active reason=1 functions, called from 1 places; \
libnone:f: no such library was loaded; libshapes:gone: no such function there; \
libc:malloc: tracing stands on this library" "$(state)"
	traced 'libshapes:plain;plain' "$program" shapes
	equal 'what is no pattern is refused' \
		'libtrace: LIBTRACE_PROBE=libshapes:plain;plain: must be LIBRARY:FUNCTION, 64 at most, with ; between; the rest of the list holds' \
		"$(grep LIBTRACE_PROBE "$work/errors")"
	equal 'the rest of the list holds' 'plain 1' "$(calls)"
	LIBTRACE_LOG=quiet traced 'libshapes:shapes::recursive*' "$program" recursion 200
	equal 'deeper than can be kept: what is not recorded is counted' 401 "$(($(calls | awk '{ sum += $2 } END { print sum }') + \
		$("$analyzer" dump -q "$work/out" | sed -n 's/^count name=ranges_lost value=//p' | tail -n 1)))"
	LIBTRACE_ENABLE=0 traced 'libshapes:plain' "$program" shapes
	equal 'switched off: nothing is recorded' '' "$(ls "$work/out" 2>/dev/null)"
}

# A library that goes between the look at its slots and the writing of one, and is there again elsewhere.
test_moved() {
	# of libc's version, so that it is found behind the library's own
	echo 'GLIBC_2.34 { dlopen; };' >"$work/moved.map"
	gcc -std=gnu17 -D_GNU_SOURCE -O1 -shared -fPIC -Wl,--version-script="$work/moved.map" -o "$work/libmoved.so" \
		"$source/moved.c" -ldl || exit 4
	rm -rf "$work/out"
	LD_PRELOAD="$library $work/libmoved.so" MOVED=/libvisitor.so LIBTRACE_LOG=quiet LIBTRACE_OUT="$work/out" \
		LIBTRACE_PROBE='libshapes:plain' timeout 60 "$work/lazy/program" moves "$work/lazy/libvisitor.so" \
		>"$work/said" 2>"$work/errors" </dev/null
	equal 'a library that is elsewhere when its slot is to be written' '0 3 moved 1 1' \
		"$? $(cat "$work/said") $(grep moved "$work/errors")"
}

# More functions than can be traced, each called once through its slot.
test_many() {
	local i
	for i in $(seq 5000); do echo "int many_$i(void) { return $i; }"; done >"$work/many.c"
	{
		for i in $(seq 5000); do echo "int many_$i(void);"; done
		echo '#include <stdio.h>'
		echo 'int main(void) { long sum = 0;'
		for i in $(seq 5000); do echo "sum += many_$i();"; done
		echo 'printf("%ld\n", sum); return 0; }'
	} >"$work/calls.c"
	gcc -O0 -shared -fPIC -o "$work/libmany.so" "$work/many.c" &&
		gcc -O0 -o "$work/calls" "$work/calls.c" -L"$work" -lmany "-Wl,-rpath,$work" || exit 4
	traced 'libmany:many_*' "$work/calls"
	equal '5,000 functions: the same output' 12502500 "$(cat "$work/said")"
	equal '5,000 functions: one line says how many are traced' \
		'libtrace: LIBTRACE_PROBE: only the first 4096 functions are traced' "$(grep LIBTRACE_PROBE "$work/errors")"
	equal '5,000 functions: as many calls' '4096 4096' "$(calls | wc -l) $(calls | awk '{ sum += $2 } END { print sum }')"
}

symbols() { "$analyzer" symbols "$@" 2>&1; }

test_symbols() {
	local shapes=$work/now/libshapes.so
	equal 'symbols: a function that the library calls itself' 'all calls    shapes::recursive(int)' \
		"$(symbols -q "$shapes" 'shapes::recursive')"
	equal 'symbols: a function that only others call' 'from others  shapes::nothing()' "$(symbols -q "$shapes" '*nothing*')"
	equal 'symbols: as many as the library exports' "$(nm -D --defined-only "$shapes" | grep -c ' [TW] ')" \
		"$(symbols -q "$shapes" | grep -vc '^no ')"
	equal 'symbols: what cannot be traced, and why' \
		'no           malloc  (tracing stands on this library)' "$(symbols -q /lib/*-linux-gnu/libc.so.6 malloc)"
	equal 'symbols: nothing fits' "trace-analyzer: $shapes: 0 functions can be traced, 0 cannot: nothing fits the pattern" \
		"$(symbols "$shapes" 'nobody*')"
	equal 'symbols: JSON' '1 libtrace-symbols/1 true' "$("$analyzer" symbols -q -f json "$shapes" plain |
		python3 -c 'import json, sys
d = json.load(sys.stdin)
print(len(d["functions"]), d["schema"], str(d["functions"][0]["traceable"]).lower())')"
	equal 'symbols: no library' 'trace-analyzer: /etc/passwd: no shared library or program (ELF)' "$(symbols /etc/passwd)"
	equal 'symbols: no file' "trace-analyzer: $work/none: No such file or directory" "$(symbols "$work/none")"
	head -c 3000 "$shapes" >"$work/cut.so"
	symbols "$work/cut.so" >"$work/said"
	equal 'symbols: a cut library ends with a line' 1 "$(grep -c '^trace-analyzer: ' "$work/said")"
}

# PyTorch tells its operators; at::_ops::NAME_OVERLOAD::call is what each goes through when it is called.
test_torch() {
	local version=2.15.0
	if ! test/cudasim/run --cached $version >/dev/null 2>&1; then
		skip "torch $version is not in the cache (test/cudasim/run fetches it)"
		return
	fi
	CUDASIM_TORCH=$version timeout 200 test/cudasim/run env LD_PRELOAD="$library" LIBTRACE_LOG=quiet \
		LIBTRACE_OUT="$work/out" LIBTRACE_PROBE='libtorch_cpu:at::_ops::*::call' \
		python3 "$source/train.py" >"$work/said" 2>"$work/errors" </dev/null
	equal 'torch: an exception from within an operator is caught' "0 caught" "$? $(head -n 1 "$work/said")"
	"$analyzer" dump -q --kind op "$work/out" | python3 "$source/operators.py" >"$work/said"
	cat "$work/said"
	passed=$((passed + $(grep -c '^ok' "$work/said"))) failed=$((failed + $(grep -c '^FAIL' "$work/said")))
}

rm -rf "$work/out"
test_calls
test_moved
test_lists
test_many
test_symbols
rm -rf "$work/out"
test_torch
finish
