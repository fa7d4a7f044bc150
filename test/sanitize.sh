#!/bin/bash
# Build the unit tests with a sanitizer in a folder of their own and run them.
# usage: test/sanitize.sh asan|tsan|objects   objects: only what asan's tests are linked with, for others
set -u
cd "$(dirname "$0")/.." || exit 1
kind=${1:-}
case $kind in
asan | objects)
	kind=asan
	flags='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'
	sources=$(ls test/unit/*/test_*.c)
	export ASAN_OPTIONS=detect_leaks=1:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
	;;
tsan)
	flags='-Itest/tsan -fsanitize=thread -fno-omit-frame-pointer'
	sources=
	for program in ring request drain drain_limits intern descriptor collector collector_fork nvtx cupti_turn \
		gpu_buffers gpu_cupti gpu_pause ahead abreast beside made_beside; do
		sources="$sources $(ls test/unit/*/test_$program.c)"
	done
	export TSAN_OPTIONS=halt_on_error=1
	;;
*)
	echo 'usage: test/sanitize.sh asan|tsan|objects' >&2
	exit 2
	;;
esac
targets=
for source in $sources; do
	source=${source#test/unit/}
	targets="$targets build/$kind/unit/${source%.c}"
done
[ "$1" = "$kind" ] || targets=build/$kind/libunits.a
# Of two at the same time one builds. Lines and functions are all that a complaint shows.
mkdir -p "build/$kind"
# shellcheck disable=SC2086 # words
flock "build/$kind/lock" make --no-print-directory -j2 BUILD="build/$kind" SANITIZE="$flags" CFLAGS='-O1 -g1' $targets || {
	echo '0 passed, 1 failed'
	exit 1
}
[ "$1" = "$kind" ] || exit 0
# shellcheck disable=SC2086
exec test/unit/run.sh "build/$kind" $targets
