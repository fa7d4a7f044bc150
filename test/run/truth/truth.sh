# Sourced by tests that compare a traced program with the simulated device's own log. The script has set
# build, library, work and python, and has sourced test/tally.sh.

# Run plainly and under the library with the device's log; the trace is in $work/out, the log in $work/log.
both() { # name, command...
	local name=$1 plain traced
	shift
	rm -rf "$work/out" "$work/log"
	timeout 60 "$@" >"$work/plain" 2>&1 </dev/null
	plain=$?
	CUDASIM_LOG=$work/log LD_PRELOAD=$library LIBTRACE_OUT=$work/out timeout 60 "$@" >"$work/traced" 2>&1 </dev/null
	traced=$?
	if [ $plain = $traced ] && [ $plain -lt 2 ] && cmp -s "$work/plain" "$work/traced"; then
		ok "$name: output and status as without the library"
	else
		not_ok "$name: status $plain, $traced: $(diff "$work/plain" "$work/traced" | head -n 4 | tr '\n' ' ')"
	fi
}

compare() { # name, least number of calls, options...
	local name=$1 least=$2 out
	shift 2
	out=$("$python" test/run/truth/compare_log.py "$@" "$work/log" "$work/out"/*.zst 2>&1)
	if [ $? = 0 ] && [ "$(tail -n 1 <<<"$out" | cut -d' ' -f1)" -ge "$least" ]; then
		ok "$name: $(tail -n 1 <<<"$out")"
	else
		not_ok "$name: $out"
	fi
}

# The device's records: as the log has them, each under the call that asked for it, and so in the report.
compare_device() { # name, least number of operations, least percentage of calls that the report matches
	local name=$1 least=$2 wanted=${3:-100} out matched
	out=$("$python" test/run/truth/compare_device.py "$work/log" "$work/out"/*.zst 2>&1)
	if [ $? = 0 ] && [ "$(tail -n 1 <<<"$out" | cut -d' ' -f1)" -ge "$least" ]; then
		ok "$name: $(tail -n 1 <<<"$out")"
	else
		not_ok "$name: $out"
	fi
	[ "$least" -gt 0 ] || return
	matched=$("$build/trace-analyzer" report --format json "$work/out" 2>/dev/null | sed -n 's/.*"matched_pct": *//p')
	if [ "${matched%.*}" -ge "$wanted" ] 2>/dev/null; then ok "$name: ${matched%,} % matched"; else not_ok "$name: $matched % matched"; fi
}

# Kernel of each launch, - without a name.
kernels() {
	"$build/trace-analyzer" dump "$work/out" | awk '$4 == "launch" { name = "-"; for (i = 5; i <= NF; i++)
		if ($i ~ /^kernel=/) name = substr($i, 8); print name == "" ? "-" : name }' | tr '\n' ' ' | sed 's/ $//'
}

equal() { # name, expected, got
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: $(diff <(echo "$2") <(echo "$3") | head -n 5 | tr '\n' ' ')"; fi
}
