#!/bin/bash
# Marks of programs, from C, C++ and Python: everything said is in the trace with its line, decides the steps and stands
# in the report; without the library nothing happens and it costs next to nothing. Needs no GPU.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=$(readlink -f "${BUILD:-build}")
library=$build/libtrace.so
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-marks-XXXXXX")
trap 'rm -rf "$work"' EXIT
source=$PWD/test/run/marks
marks=$PWD/preload/marks/user
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD

equal() { # name, expected, got
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: $(diff <(echo "$2") <(echo "$3") | head -n 5 | tr '\n' ' ')"; fi
}

traced() { # command...: output in said and errors, status returned
	rm -rf "$work/out"
	(cd "$work" && LD_PRELOAD="$library" LIBTRACE_OUT="$work/out" exec timeout 60 "$@") >"$work/said" 2>"$work/errors" </dev/null
}

dumped() { "$build/trace-analyzer" dump "$work"/out/*.zst; }
of_report() { # python expression of the report r
	"$build/trace-analyzer" --format json "${2:-$work/out}" 2>/dev/null | python3 -c "import json, sys
r = json.load(sys.stdin)
print($1)"
}
marked() { dumped | sed -n 's/.* range *name=\([a-z]*\) domain=libtrace flags=\([a-z|]*\) .*/\1 \2/p' |
	sed 's/^step mark|step$/step/; s/^\([a-z]*\) started$/range \1/'; }

compile() { # language, standard, output
	"$1" -x "$2" -std="$3" -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Werror -I"$marks" -o "$4" "$source/marks.c" \
		-lpthread -ldl || not_ok "compiled as $3"
}

test_program() { # name, program
	equal "$1: without the library" 'listens 0' "$("$2" | head -n 1)"
	traced "$2" loop
	equal "$1: ends well" 0 $?
	equal "$1: what was marked, in order" "$(grep -E '^(range|step|errno)' "$work/said")" "$(marked)"
	equal "$1: the program's steps are the report's" "the program's own marks, high, 40, 10" \
		"$(of_report '", ".join(str(r["steps"][key]) for key in ("method", "confidence", "count", "not_recorded"))')"
	equal "$1: metadata" 'seçond' "$(of_report 'r["run"]["metadata"]["model"]')"
	equal "$1: the table of ranges" "[('inner', 30, True), ('outer', 30, True)]" \
		"$(of_report 'sorted((t["name"], t["count"], 30 * 300000 <= t["total_ns"] < 30 * 3000000) for t in r["tables"]["ranges"])')"
	traced "$2" threads
	equal "$1: four threads, ranges recorded and lost" "$(sed -n 's/^ranges //p' "$work/said")" \
		"$(($(marked | grep -c '^range storm$') + $(dumped | sed -n 's/^count name=ranges_lost value=//p' | tail -n 1 | grep . || echo 0) + \
			$(sed -n 's/.* \([0-9]*\) lost;.*/\1/p' "$work/errors")))"
	traced "$2" fork
	equal "$1: a fork with an open range" 'status 0 1 1' "$(grep ^status "$work/said") $(for trace in "$work"/out/*.zst; do
		"$build/trace-analyzer" dump "$trace" | grep -c ' range *name=\(child\|parent\) '; done | sort | tr '\n' ' ' | sed 's/ $//')"
	traced env LIBTRACE_ENABLE=0 "$2"
	equal "$1: loaded and switched off" 'listens 0' "$(head -n 1 "$work/said")"
}

test_python() { # interpreter
	local version place
	version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || return
	equal "Python $version: without the library" 'listens False' "$("$1" "$source/marks.py" "$marks" 2>&1 | head -n 1)"
	traced "$1" "$source/marks.py" "$marks"
	equal "Python $version: ends well" '0 listens True' "$? $(head -n 1 "$work/said")"
	equal "Python $version: what was marked" "$(sed -n 's/^count //p' "$work/said" | sort)" \
		"$(dumped | sed -n 's/.* range *name=\([a-z]*\) .*/\1/p' | sort | uniq -c | awk '{ print $2, $1 }')"
	equal "Python $version: metadata" '64 0.1 255' \
		"$(of_report '" ".join([r["run"]["metadata"]["batch"], r["run"]["metadata"]["lr"], str(len(r["run"]["metadata"]["name"].encode()))])')"
	case $version in
	3.6 | 3.7) return ;; # no lines below 3.8
	esac
	for place in outer function step; do
		equal "Python $version: the line of $place" "marks.py:$(sed -n "s/^place $place //p" "$work/said")" \
			"$(dumped | grep " range *name=$place " | grep -o 'marks\.py:[0-9]*' | sort -u)"
	done
}

# The header, the module and the library number the same things alike.
numbers() { # file, prefix
	sed 's,/\*.*\*/,,' "$1" | tr -d '\n' | grep -oiE "enum $2_what \{[^}]*\}" | grep -oE '[A-Z]+_[A-Z]+' | sed 's/.*_//' | xargs
}
equal 'header and library agree' "$(numbers preload/marks/marks.h marks)" "$(numbers preload/marks/user/libtrace.h libtrace)"
equal 'module and library agree' "$(numbers preload/marks/marks.h marks)" \
	"$(sed -n 's/^\(_HELLO.*\) = (0, 1, 2, 3, 4, 5, 6)$/\1/p' preload/marks/user/libtrace.py | tr -d ',_' | xargs)"
compile gcc c gnu17 "$work/marks"
compile gcc c c99 "$work/marks99"
compile g++ c++ c++17 "$work/marksplus"
test_program C "$work/marks"
test_program C++ "$work/marksplus"
for python in /usr/bin/python3 ~/.pyenv/versions/3.{6,8,13}*/bin/python3; do
	[ ! -x "$python" ] || test_python "$python"
done
traced python3 -c 'import sys; sys.path.insert(0, sys.argv[1]); import libtrace
for i in range(300): libtrace.metadata("x", i)
libtrace.step()' "$marks"
equal 'metadata without end is told once' 1 "$(grep -c 'metadata: 128 values are kept' "$work/errors")"
# Five million marks where nobody listens: a load and a branch each.
begin=$(date +%s%N)
"$work/marks" many 5000000 >/dev/null
ms=$((($(date +%s%N) - begin) / 1000000))
if [ $ms -lt 2000 ]; then ok "15 million marks without the library: $ms ms"; else not_ok "15 million marks took $ms ms"; fi
finish
