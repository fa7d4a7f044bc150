#!/bin/bash
# What it costs a loader that its files are recorded: instructions of ours for each file that is opened, read and
# closed (F1; 358 to 390: what takes long is recorded one by one, and a loaded machine is slow), and beside it the time
# (F1t), of blocks with recording on and off in one process, as a share of the 100 us that a loader of 10,000 files per
# second has for each; kernel and all.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. test/bench/count.sh
gcc -O2 -D_GNU_SOURCE -I. -o "$work/bench_files" test/bench/bench_files.c || exit 4
mkdir "$work/files"
for ((file = 0; file < 1000; file++)); do echo "$file $RANDOM" >"$work/files/$file"; done

bare=$(count '' "$work/bench_files" "$work/files")
with=$(count "$library" "$work/bench_files" "$work/files")
# all are counted, and those that took long are told one by one
opened=$("$build/trace-analyzer" dump "$LIBTRACE_OUT"/*.zst 2>"$work/err" | awk '/ name=opens / {
	sub(/.*value=/, "")
	opened = $0 + 0 > opened ? $0 + 0 : opened } END { print opened + 0 }')
if [ "$opened" -lt 40000 ]; then
	echo "# only $opened of 40000 files are in the trace" >&2
	with=
fi
line F1 file_opened_read_closed "$(over "$with" "$bare")" instr/file 350 480 350
rm -rf "$LIBTRACE_OUT"
LD_PRELOAD=$library "$work/bench_files" "$work/files" 500 301 >"$work/times"
ungated F1t file_of_a_loader_of_10000_per_second "$(awk '{ print ($1 - $2) / 1000 }' "$work/times" | sort -n |
	awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) / 2)] }')" % F1
awk '{ sum += $2 } END { printf "# a file takes %.0f ns without\n", sum / NR }' "$work/times"
