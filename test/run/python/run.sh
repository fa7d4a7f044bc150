#!/bin/bash
# File, line and function as read, compared with the interpreter's own answer, per Python found.
# usage: test/run/python/run.sh [PYTHON...]
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
newline=$'\n'
out=${BUILD:-build}/run/python
mkdir -p "$out"
case $out in /*) probe=$out/probe.so ;; *) probe=$PWD/$out/probe.so ;; esac

"${CC:-gcc}" -std=gnu17 -I. -D_GNU_SOURCE -O2 -g -Wall -Wextra -fPIC -shared -fvisibility=hidden \
	-ftls-model=initial-exec -ffunction-sections -Wl,--gc-sections -Wl,-z,defs -o "$probe" \
	test/run/python/probe.c preload/python/*.c preload/frameworks/frameworks.c preload/linker/*.c \
	preload/thread/{peek,thread,threadmem,arena}.c \
	collector/{buffer/define,buffer/live,base/intern,codec/crc32c}.c collector/own/*.c || { not_ok "probe does not build"; finish; }

# The system's and pyenv's.
interpreters() {
	local minor path found
	for minor in 8 9 10 11 12 13 14; do
		found=0
		for path in "/usr/bin/python3.$minor" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.$minor*/bin/python; do
			[ -x "$path" ] && found=1 && echo "$path"
		done
		[ $found = 1 ] || echo "none 3.$minor"
	done
}

check_one() {
	local python=$1 log=$out/log version
	version=$("$python" -c 'import sys, ctypes; print(*sys.version_info[:3], sep=".")' 2>"$log") || {
		skip "$python: $(tail -n 1 "$log")"
		return
	}
	if timeout 120 "$python" test/run/python/check.py "$probe" >"$log" 2>&1; then
		ok "$python $version: $(grep -c . "$log") lines; $(sed -n 's/^places: //p' "$log")"
	else
		not_ok "$python $version"
		head -n 20 "$log"
	fi
	sed -n 's/^stress/    stress/p' "$log"
	for _ in 1 2 3 4 5; do
		[ "$(timeout 60 "$python" test/run/python/end.py "$probe" 2>&1; echo $?)" = "place${newline}0" ] || {
			not_ok "$python $version: end of the interpreter with threads reading"
			return
		}
	done
	ok "$python $version: end of the interpreter with threads reading"
}

if [ $# -gt 0 ]; then
	list=$(printf '%s\n' "$@")
else
	list=$(interpreters)
fi
checked=0
while read -r python version; do
	if [ "$python" = none ]; then
		skip "no Python $version on this machine"
	else
		check_one "$python" && checked=$((checked + 1))
	fi
done <<<"$list"
[ "$checked" -gt 0 ] || not_ok "no interpreter to test with"
finish
