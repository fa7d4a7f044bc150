#!/bin/bash
# Fuzz every entry point of test/fuzz with libFuzzer for FUZZ_SECONDS (60) each, or replay the kept inputs
# with --replay (gcc's sanitizers, no clang needed; the objects are those of the unit tests under ASan).
set -u
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0
mkdir -p build/fuzz
# neither the command line nor the page, which needs its assets
sources="collector/format/*.c collector/codec/*.c collector/base/*.c collector/own/*.c $(find analyzer -name '*.c' ! -name main.c \
	! -path 'analyzer/cli/*' ! -path 'analyzer/page/*')"
common="-std=gnu17 -D_GNU_SOURCE -DLIBTRACE_VERSION=\"fuzz\" -g -O1 -I. -fno-omit-frame-pointer -w"
libraries='-lmsgpackc -lzstd -lz -ljansson -lelf -lm -ldl -lpthread'
[ "${1:-}" != --replay ] || test/sanitize.sh objects >build/fuzz/objects.log 2>&1 ||
	{ tail -n 5 build/fuzz/objects.log && echo '0 passed, 1 failed' && exit 1; }
for source in test/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	corpus=test/fuzz/corpus/${name#fuzz_}
	mkdir -p "build/fuzz/corpus-$name"
	if [ "${1:-}" = --replay ]; then
		# shellcheck disable=SC2086 # words
		gcc $common -fsanitize=address,undefined -fno-sanitize-recover=all -o "build/fuzz/$name-replay" \
			"$source" test/fuzz/replay.c build/asan/libunits.a $libraries &&
			timeout 120 "build/fuzz/$name-replay" "$corpus"/* >"build/fuzz/$name.log" 2>&1
	else
		# shellcheck disable=SC2086
		clang $common -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o "build/fuzz/$name" \
			"$source" $sources $libraries &&
			"build/fuzz/$name" -max_total_time="${FUZZ_SECONDS:-60}" -max_len=65536 -print_final_stats=1 \
				"build/fuzz/corpus-$name" "$corpus" >"build/fuzz/$name.log" 2>&1
	fi
	if [ $? = 0 ]; then
		passed=$((passed + 1))
		echo "ok $name $(grep -o 'stat::average_exec_per_sec.*' "build/fuzz/$name.log")"
	else
		failed=$((failed + 1))
		echo "FAIL $name"
		tail -n 30 "build/fuzz/$name.log"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
