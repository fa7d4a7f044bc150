# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: descriptors 0 to 2 that are closed or somebody else's file.

test_descriptors() {
	local run=("$work/descriptors") name
	gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -I. -DCUDART_MAJOR=13 -o "$work/descriptors" test/run/harmless/descriptors.c \
		-L"$build/cudasim/13" -lcudart -lcuda -lpthread || exit 4
	for name in "$work/out" /proc/no/such; do # a line at the end, and one that says what does not work
		rm -rf "$work/out"
		LD_PRELOAD=$library LIBTRACE_OUT=$name "${run[@]}" reused "$work/data" 2>/dev/null
		equal "2 is a file of the program, $(basename "$name"): it has what the program wrote" '0 data' "$? $(cat "$work/data")"
	done
	rm -rf "$work/out"
	LD_PRELOAD=$library LIBTRACE_OUT=$work/out "${run[@]}" reused "$work/data" 2>/dev/null
	"$build/trace-analyzer" dump "$work/out" >"$work/dump" 2>"$work/dump.err"
	equal '2 is a file of the program: it is recorded' 3 "$(kinds launch)"
	rm -rf "$work/out"
	LD_PRELOAD=$library LIBTRACE_OUT=$work/out "${run[@]}" closed "$work/data" <&- >&- 2>&-
	equal 'none of them is open: none ever becomes ours' '0 0 answered' "$? $(cat "$work/data")"
	"$build/trace-analyzer" dump "$work/out" >"$work/dump" 2>"$work/dump.err"
	equal 'none of them is open: it is recorded' 150 "$(kinds launch)"
}
