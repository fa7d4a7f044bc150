# Sourced by the suites of frameworks for whose libraries there is a stand-in: the same program is run without and with
# us. FRAMEWORK is set before.
. test/tally.sh
build=$(realpath "${BUILD:-build}")
command -v g++ >/dev/null || { skip "no g++"; finish; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_library() { # file, source, flags
	mkdir -p "$(dirname "$1")"
	g++ -O2 -fPIC -shared -Wl,-z,lazy -o "$1" "${@:3}" "$2" || not_ok "$2"
}
make_program() { # makes $work/train, which calls a library's functions
	g++ -O2 -o "$work/train" test/run/paddle/train.cc -ldl || not_ok "train.cc"
}

run_both() { # name of the trace in $work, sources, line that both print, program...
	rm -rf "$work/$1.trace"
	timeout 60 "${@:4}" >"$work/plain" 2>&1
	echo "status $?" >>"$work/plain"
	LD_PRELOAD=$build/libtrace.so LIBTRACE_LOG=quiet LIBTRACE_SOURCES=$2 LIBTRACE_OUT=$work/$1.trace \
		timeout 60 "${@:4}" >"$work/traced" 2>&1
	echo "status $?" >>"$work/traced"
	if cmp -s "$work/plain" "$work/traced" && grep -q "$3" "$work/traced"; then
		ok "$1 $2: same output and status"
	else
		not_ok "$1 $2: output or status differs: $(tail -n 3 "$work/plain" "$work/traced" | tr '\n' ' ')"
	fi
}

dump() { "$build/trace-analyzer" dump "$work/$1.trace" 2>/dev/null >"$work/dump"; }
count() { # name of an operator in $work/dump, scope
	grep -c " op *name=$1 scope=$2 framework=$FRAMEWORK" "$work/dump"
}
source_row() { grep "^source name=$FRAMEWORK " "$work/dump" | tail -n 1; }
recorded() { cat "$work/$1.trace"/* 2>/dev/null | wc -c; }
report() { # trace; prints framework, class, steps, state of the source and health
	"$build/trace-analyzer" report --format json "$work/$1.trace" >"$work/report"
	python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
print(r["run"]["framework"], r["verdict"]["class"], r["steps"]["count"], r["run"]["sources"][sys.argv[2]],
      r["health"]["status"])' "$work/report" "$FRAMEWORK"
}

expect() { # what, found, wanted
	if [ "$2" = "$3" ]; then
		ok "$1: $2"
	else
		not_ok "$1: $2, not $3"
	fi
}
