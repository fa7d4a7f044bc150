# shellcheck shell=bash disable=SC2154
# Counting instructions of hooked calls, for the benches that do: sourced, with $build, $library and $work set.
# A figure counts only when what it is of was recorded: a library that records nothing is cheap.
export LIBTRACE_OUT=$work/out LIBTRACE_LOG=quiet PYTHONHASHSEED=0

# id, what, value, unit, limit, gate, goal: the line that run.sh looks for.
line() { awk -v id="$1" -v what="$2" -v value="$3" -v unit="$4" -v limit="$5" -v gate="$6" -v goal="$7" 'BEGIN {
	printf "%s %s %s %s limit %s gate %s goal %s %s\n", id, what, value, unit, limit, gate, goal,
		(value == "" || value + 0 > gate + 0 ? "FAIL" : "ok") }'; }

# A figure that depends on the machine, beside the one that does not and has the gate.
ungated() { # id, what, value, unit, id of the one with a gate
	echo "$1 $2 $3 $4 (no gate: see $5)"
}

# Instructions in functions and what they call, of what callgrind has counted; nothing where one was not called.
inclusive() { # file, functions that do not call each other...
	local file=$1
	shift
	callgrind_annotate --inclusive=yes --threshold=100 "$file" 2>/dev/null | awk -v names="$*" '
		BEGIN { count = split(names, name, " ") }
		{ gsub(",", "", $1) }
		{ for (i = 1; i <= count; i++) if (index($0, ":" name[i] " [") && !(name[i] in seen)) { seen[name[i]]; sum += $1; found++ } }
		END { if (found == count) printf "%d", sum }'
}

# One figure over the other; nothing where one of them is none.
against() { # of what, over what
	[ -z "$1" ] || [ -z "$2" ] || awk "BEGIN { printf \"%.3f\", $1 / $2 }"
}

# Instructions of the first thread for each of N calls, without start and end: those of 2N less those of N.
count() { # preloaded libraries, command... without the number of calls
	local calls totals=() preload=$1
	shift
	for calls in 20000 40000; do
		rm -f "$work"/callgrind*
		LD_PRELOAD=$preload valgrind --tool=callgrind --separate-threads=yes \
			--callgrind-out-file="$work/callgrind" "$@" $calls >/dev/null 2>"$work/err"
		totals+=("$(sed -n 's/^totals: //p' "$work"/callgrind-01 2>/dev/null || sed -n 's/^totals: //p' "$work"/callgrind)")
	done
	awk -v a="${totals[0]}" -v b="${totals[1]}" 'BEGIN { if (a != "" && b != "") printf "%.1f", (b - a) / 20000 }'
}

# The same of recorded calls, all of which are in the trace, stored or counted as lost; else nothing.
count_recorded() { # kind of the records, preloaded libraries, command...
	local kind=$1 figure events
	shift
	rm -rf "$LIBTRACE_OUT"
	figure=$(LIBTRACE_RING_KB=65536 count "$@")
	events=$(for trace in "$LIBTRACE_OUT"/*.zst "$LIBTRACE_OUT"/*/*.zst; do
		[ ! -f "$trace" ] || "$build/trace-analyzer" dump "$trace"
	done 2>"$work/dump.err" | awk -v kind=" $kind " '/^lost / { sub(/.*count=/, ""); sum += $1 }
		index($0, kind) { sum++ } END { print sum + 0 }')
	if [ "$events" -ge 60000 ]; then
		echo "$figure"
	else
		echo "# only $events of 60000 calls are in the trace: $(head -n 1 "$work/dump.err")" >&2
	fi
}

# What the library adds to a bare call; nothing where one of the figures is none.
over() { # with, without
	[ -z "$1" ] || [ -z "$2" ] || awk "BEGIN { print $1 - $2 }"
}
