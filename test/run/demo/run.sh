#!/bin/bash
# The demonstration, in C and (where its wheel was fetched already) with PyTorch: it ends well and finds what
# its scripts are about. Times depend on the machine, so the verdict is not looked at.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check_demo() { # name, options of scripts/demo, rules that the first report must have
	local name=$1 rule
	if timeout 300 scripts/demo $2 >"$work/out" 2>&1; then ok "$name: runs"; else
		not_ok "$name: $(tail -n 3 "$work/out")"
		return
	fi
	for rule in $3; do
		if grep -q "\"rule\": \"$rule\"" build/demo/slow.json; then ok "$name: finds $rule"; else
			not_ok "$name: does not find $rule"
		fi
	done
	if grep -q '^predicted from the first run' "$work/out"; then ok "$name: sets both side by side"; else
		not_ok "$name: $(tail -n 3 "$work/out")"
	fi
}

check_demo 'demo-c' --c sync-scalar-read
if test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	check_demo 'demo' '' 'sync-scalar-read input-bound copy-pageable-async'
else
	skip 'demo: the wheel is not in the cache (make demo fetches it)'
fi
finish
