#!/bin/bash
# Garbage collections in every Python found: as many as the interpreter counted, as long as the program's own clock
# says, at its lines; waits for the interpreter's lock: where a call took long, and who held it; and programs that are
# hostile to either do as without the library.
# usage: test/run/pauses/run.sh [PYTHON...]
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
analyzer=$(readlink -f "$build/trace-analyzer") || exit 4
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-pauses-XXXXXX")
trap 'rm -rf "$work"' EXIT
source=$PWD/test/run/pauses
beside=
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD
# A fork beside the recorder's thread is one of a process with threads, and told so from 3.12 on.
export PYTHONDONTWRITEBYTECODE=1 PYTHONWARNINGS=ignore
gcc -std=gnu17 -shared -fPIC -DWHICH=1 -DRESULT=0 -Wl,-soname,libcudart.so.13 -o "$work/libcudart.so.13" \
	test/run/hooks/runtime.c || exit 4

gcc -shared -fPIC -o "$work/late.so" "$source/late.c" || exit 4

interpreters() {
	local minor path
	for minor in 8 9 10 11 12 13 14; do
		for path in "/usr/bin/python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor*/bin/python; do
			[ -x "$path" ] && echo "$path"
		done
	done
}

traced() { LD_PRELOAD=$library$beside LIBTRACE_OUT=$work/out timeout 60 "$@" 2>"$work/err"; }

# Without the library and with it: same output, same status.
both() { # script, way
	rm -rf "$work/out"
	timeout 60 "$python" "$source/$1.py" "$work/libcudart.so.13" "$2" "$work/plain" >"$work/plain.out" 2>&1
	local plain=$?
	traced "$python" "$source/$1.py" "$work/libcudart.so.13" "$2" "$work/seen" >"$work/traced.out"
	local status=$?
	if [ $plain != 0 ] || [ $status != $plain ] || ! cmp -s "$work/plain.out" "$work/traced.out" ||
		grep -qv '^libtrace: ' "$work/err"; then
		not_ok "$name $2: status $status, without the library $plain"
		diff "$work/plain.out" "$work/traced.out"
		cat "$work/err"
		return 1
	fi
}

events() { "$analyzer" dump -q -f json --kind "$1" "$work/out"; }
count() { events "$1" | grep -c '"event"'; }
state() { events source | grep "\"$1\"" | tail -n 1; }

judged() { # way, "loose" or nothing
	local told
	both collect "$1" || return
	if told=$(events collection | python3 "$source/judge.py" "$work/seen" "$source/collect.py" ${2:-} 2>&1); then
		ok "$name $1: $told"
	else
		not_ok "$name $1: $told"
	fi
}

check_lock() { # way
	local told
	both lock "$1" || return
	if told=$(events gil | python3 "$source/judge_lock.py" "$work/seen" "$source/lock.py" 2>&1); then
		ok "$name lock $1: $told"
	else
		not_ok "$name lock $1: $told"
	fi
}

check_one() {
	local name python=$1 way files
	name="Python $("$python" -c 'import sys, ctypes; print(*sys.version_info[:3], sep=".")' 2>/dev/null)" || {
		skip "$python: no ctypes"
		return
	}
	for way in automatic explicit often elsewhere frozen; do
		judged $way
	done
	for way in finalizers threads raising subinterpreter; do
		judged $way loose
	done
	for way in by_hand at_exit at_exit at_exit; do
		both collect $way && ok "$name $way"
	done

	both collect cleared && if state gc | grep -q 'emptied gc.callbacks' && [ "$(count collection)" = 1 ]; then
		ok "$name cleared"
	else
		not_ok "$name cleared: $(state gc)"
	fi
	both collect forks && files=("$work"/out/*.zst) && if [ ${#files[@]} = 1 ]; then
		ok "$name forks: a child that only collects leaves nothing"
	else
		not_ok "$name forks: ${#files[@]} files"
	fi
	both collect fork_with_events && files=("$work"/out/*.zst) &&
		if [ ${#files[@]} = 2 ] && [ "$(count collection)" -ge 5 ]; then
			ok "$name fork_with_events"
		else
			not_ok "$name fork_with_events: ${#files[@]} files"
		fi
	both collect no_event && if [ ! -e "$work/out" ]; then
		ok "$name no_event: nothing is left"
	else
		not_ok "$name no_event: a run was recorded"
	fi
	LIBTRACE_SOURCES=-gc both collect no_event
	LIBTRACE_SOURCES=-gc both collect frozen && if state gc | grep -q '"off"' && grep -q '^0 ' "$work/seen"; then
		ok "$name switched off"
	else
		not_ok "$name switched off: $(state gc)"
	fi
	LIBTRACE_SOURCES=-python both collect explicit && if [ "$(count collection)" -ge 40 ]; then
		ok "$name without lines"
	else
		not_ok "$name without lines"
	fi

	for way in one three; do
		check_lock $way
	done
	for way in forks short_lived subinterpreter; do
		both lock $way && ok "$name lock $way"
	done
	# In CPython 3.10 a thread that waits for the lock looks at what was freed when the end takes 20 ms.
	beside=:$work/late.so
	both lock ends && ok "$name lock ends"
	beside=
	LIBTRACE_SOURCES=-input check_lock one
	[ "$(count input)" = 0 ] || not_ok "$name lock one: other waits are recorded"
	LIBTRACE_SOURCES=-gil both lock one && if state gil | grep -q '"off"' && [ "$(count gil)" = 0 ] &&
		! events input | grep -q pthread_cond; then
		ok "$name lock switched off"
	else
		not_ok "$name lock switched off: $(state gil)"
	fi
}

if [ $# -gt 0 ]; then
	list=$(printf '%s\n' "$@")
else
	list=$(interpreters)
fi
while read -r python; do
	[ -n "$python" ] && check_one "$python"
done <<<"$list"
[ $((passed + failed)) -gt 0 ] || not_ok "no interpreter to test with"
finish
