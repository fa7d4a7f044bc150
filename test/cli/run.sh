#!/bin/bash
# Run test/cli/<topic>/<name>.sh and compare with the files beside it: NAME.sh.stdout.exact or .glob,
# NAME.sh.stderr.exact or .glob, NAME.sh.exit; what is not there means empty output and status 0.
# usage: test/cli/run.sh [TOPIC...]   TRACE_ANALYZER: program under test, default build/trace-analyzer
set -u
cd "$(dirname "$0")/../.." || exit 1
export ROOT=$PWD ANALYZER=${TRACE_ANALYZER:-$PWD/build/trace-analyzer}
BUILD=${BUILD:-build}
passed=0 failed=0

# Traces that the scripts find in $TRACES.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TRACES=$work/traces
mkdir -p "$TRACES" "$work/bin" "$work/tmp" "$BUILD/cli"
objects=$BUILD/libunits.a
make --no-print-directory -s BUILD="$BUILD" "$objects" >&2 || exit 1
link() { # program, sources...
	local program=$1
	shift
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -fPIE -I. -o "$BUILD/cli/$program" "$@" "$objects" \
		-lmsgpackc -lzstd -lz -lelf -lm -ldl -lpthread || exit 1
}
link make_trace test/cli/make_trace.c test/cli/training_trace.c
link emit test/run/collector/emit.c
export EMIT=$(realpath "$BUILD/cli/emit") MAKE_TRACE=$(realpath "$BUILD/cli/make_trace")
for kind in small hostile crowd device waits tables training yielded failed lost whole matched; do
	"$BUILD/cli/make_trace" "$kind" "$TRACES/$kind.msgpack.zst" || exit 1
done
# `trace-analyzer` is what the user types, and what messages are compared with.
ln -s "$ANALYZER" "$work/bin/trace-analyzer"
export PATH=$work/bin:$PATH
unset NO_COLOR LIBTRACE_OUT RANK LD_PRELOAD XDG_RUNTIME_DIR
export TMPDIR=$work/tmp
export LC_ALL=C.UTF-8 TERM=xterm

# compare ACTUAL EXPECTED-STEM: exact text, or a glob over the whole text, or nothing at all
compare() {
	if [ -e "$2.exact" ]; then
		diff -u "$2.exact" "$1"
	elif [ -e "$2.glob" ]; then
		local text glob
		text=$(cat "$1") glob=$(cat "$2.glob")
		# shellcheck disable=SC2053 # a glob on purpose
		[[ $text == $glob ]] || { echo "does not match $2.glob:" && cat "$1" && return 1; }
	else
		diff -u /dev/null "$1"
	fi
}

[ $# -gt 0 ] || set -- $(cd test/cli && ls -d */ | tr -d /)
for topic in "$@"; do
	for script in "$ROOT/test/cli/$topic"/*.sh; do
		name=$topic/$(basename "$script" .sh)
		rm -rf "$work/dir" && mkdir "$work/dir"
		(cd "$work/dir" && timeout 60 bash "$script" >"$work/stdout" 2>"$work/stderr" </dev/null)
		status=$?
		expected=$(cat "$script.exit" 2>/dev/null || echo 0)
		if compare "$work/stdout" "$script.stdout" >"$work/report" 2>&1 &&
			compare "$work/stderr" "$script.stderr" >>"$work/report" 2>&1 &&
			[ "$status" = "$expected" ]; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "FAIL cli/$name (exit status $status, expected $expected)"
			cat "$work/report" "$work/stderr"
		fi
	done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
