#!/bin/bash
# Build the unit tests with a sanitizer in a folder of their own and run them.
# usage: test/sanitize.sh asan|tsan
set -u
cd "$(dirname "$0")/.." || exit 1
case ${1:-} in
asan)
	flags='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'
	programs=$(basename -a -s .c test/unit/*/test_*.c)
	export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
	;;
tsan)
	flags='-Itest/tsan -fsanitize=thread -fno-omit-frame-pointer'
	programs='test_ring test_request test_drain test_drain_limits test_intern test_collector
	test_collector_fork test_nvtx test_cupti_turn test_gpu_buffers test_gpu_cupti test_gpu_pause'
	export TSAN_OPTIONS=halt_on_error=1
	;;
*)
	echo 'usage: test/sanitize.sh asan|tsan' >&2
	exit 2
	;;
esac
targets=
for program in $programs; do
	source=$(ls test/unit/*/"$program.c" 2>/dev/null) || continue
	source=${source#test/unit/}
	targets="$targets build/$1/unit/${source%.c}"
done
# shellcheck disable=SC2086 # words
make --no-print-directory -j2 BUILD="build/$1" SANITIZE="$flags" CFLAGS='-O1 -g' $targets || {
	echo '0 passed, 1 failed'
	exit 1
}
# shellcheck disable=SC2086
exec test/unit/run.sh "build/$1" $targets
