#!/bin/bash
# The collector in programs that are killed, fork, exec, close everything, run out of disk or of threads.
# usage: test/run/collector/run.sh     KILLS=50 SEED=number FORKS=500 in the environment
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=${BUILD:-build}/run/collector
mkdir -p "$build"
objects=${BUILD:-build}/libunits.a
make --no-print-directory -s BUILD="${BUILD:-build}" "$objects" || exit 1
for program in emit hostile check; do
	gcc -std=gnu17 -D_GNU_SOURCE -O2 -g -fPIE -Wall -Wextra -I. -o "$build/$program" \
		"test/run/collector/$program.c" "$objects" -lmsgpackc -lzstd -lz -lelf -lm -ldl -lpthread || exit 1
done
# In memory where there is room: a disk that stalls for seconds makes a process end without its last words.
space=/tmp
[ -w /dev/shm ] && [ "$(df --output=avail -m /dev/shm | tail -n 1)" -gt 600 ] && space=/dev/shm
scratch=$(mktemp -d "$space/libtrace-run-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
seed=${SEED:-$RANDOM}
RANDOM=$seed
echo "seed $seed"

# Check the traces of $scratch/run: no FAULT, and no more live files than given.
judge() { # name, live files, counts file or -
	local output
	output=$("$build/check" "$3" "$scratch"/run/*.zst 2>&1)
	if [ $? != 0 ]; then
		not_ok "$1: $(grep -m 3 -h FAULT <<<"$output" | tr '\n' ' ')"
	elif [ "$(find "$scratch/run" -name '*.live' | wc -l)" -gt "$2" ]; then
		not_ok "$1: more than $2 live files: $(cd "$scratch/run" && ls | grep live | head -n 5 | tr '\n' ' ')"
	else
		ok "$1"
	fi
	rm -rf "$scratch/run" "$scratch/counts"
}

# Every way to end, with events in the rings.
for how in exit _exit quick_exit thread pthread_exit exec-fails; do
	EMIT_COUNTS=$scratch/counts timeout -k 1 60 "$build/emit" "$scratch/run" 3 20000 $how 20
	[ $? = 0 ] && judge "ends by $how" 0 "$scratch/counts" || not_ok "ends by $how: exit status"
done
timeout -k 1 60 "$build/emit" "$scratch/run" 2 5000 exec 20
files=$(find "$scratch/run" -name '*.zst' | wc -l)
[ "$files" = 2 ] && judge 'exec of itself: two files' 0 - || not_ok "exec of itself: $files files"
for how in abort kill; do
	{ EMIT_COUNTS=$scratch/counts timeout -k 1 60 "$build/emit" "$scratch/run" 3 20000 $how 20; } 2>/dev/null
	judge "dies by $how" 1 "$scratch/counts"
done

# SIGKILL at random moments.
for ((i = 0; i < ${KILLS:-50}; i++)); do
	EMIT_COUNTS=$scratch/counts "$build/emit" "$scratch/run" 3 0 wait 20 &
	pid=$!
	sleep "0.$(printf '%03d' $((RANDOM % 400 + 5)))"
	[ $((i % 10)) != 0 ] || sleep 1.2
	kill -KILL $pid
	wait $pid 2>/dev/null
	if [ -d "$scratch/run" ]; then
		judge "killed $i" 1 "$scratch/counts"
	else
		ok "killed $i before the first event"
	fi
done

# What threads lost that have ended since, and whose rings are free again.
for ((i = 0; i < 4; i++)); do
	EMIT_RING_BYTES=65536 EMIT_COUNTS=$scratch/counts "$build/emit" "$scratch/run" 100 20000 wait 100000 &
	pid=$!
	sleep "0.$((i * 2 + 2))"
	kill -KILL $pid
	wait $pid 2>/dev/null
	judge "killed after threads with losses ended, $i" 1 "$scratch/counts"
done

# More threads than have large rings, which grow.
for ((i = 0; i < 4; i++)); do
	EMIT_RING_BYTES=262144 EMIT_COUNTS=$scratch/counts "$build/emit" "$scratch/run" 200 0 wait 3000 20000 &
	pid=$!
	sleep "0.$((i * 2 + 3))"
	kill -KILL $pid
	wait $pid 2>/dev/null
	judge "killed while rings grow, $i" 1 "$scratch/counts"
done

# Events of threads that have no ring yet while another one begins, at what takes a while, and nobody tells of them.
{ EMIT_SLOW=1 EMIT_COUNTS=$scratch/counts timeout -k 1 60 "$build/emit" "$scratch/run" 8 3 kill; } 2>/dev/null
"$build/check" - "$scratch"/run/*.zst | grep -qE ' lost ([89]|[1-9][0-9]) ' && ok 'a slow start loses events' || not_ok 'a slow start lost none'
judge 'killed after a slow start' 1 "$scratch/counts"

# Programs that are hard on a recorder: what they committed is what is there.
hostile() { # name, most events that may be lost, arguments
	local name=$1 output status committed found
	shift
	output=$(timeout -k 1 120 "$build/hostile" "$scratch/run" "$@" 2>"$scratch/stderr")
	status=$?
	committed=$(sed -n 's/^events //p' <<<"$output")
	found=$("$build/check" - "$scratch"/run/*.zst | sed -n 's/.* events \([0-9]*\) live.*/\1/p' | awk '{ sum += $1 } END { print sum + 0 }')
	if [ $status != 0 ]; then
		not_ok "$name: exit status $status: $(tr '\n' ' ' <<<"$output")"
	elif [ "$committed" != "$found" ]; then
		not_ok "$name: $committed committed, $found found"
	else
		judge "$name" 0 -
	fi
	rm -rf "$scratch/run"
}
hostile 'forks with and without exec' forks "${FORKS:-500}"
hostile 'closes all descriptors' close 100
hostile '1,000 threads at once' threads 1000
hostile '100,000 short threads' short 100000
hostile 'a child without events' fork-idle

# Full disks: the file ends whole, and what is missing is counted.
full() { # name, command
	local name=$1 status line
	shift
	"$@" >"$scratch/stdout" 2>"$scratch/stderr"
	status=$?
	line=$("$build/check" - "$traces"/*.zst)
	if [ $status != 0 ] || grep -q FAULT <<<"$line"; then
		not_ok "$name: exit status $status: $(tr '\n' ' ' <<<"$line")"
	elif ! grep -qE "lost [1-9].* end $expected" <<<"$line"; then
		not_ok "$name: $line"
	elif [ "$(wc -l <"$scratch/stderr")" != 1 ]; then
		not_ok "$name: $(wc -l <"$scratch/stderr") lines on stderr"
	else
		ok "$name"
	fi
}
expected=exit traces=$scratch/run
full 'file-size limit' timeout -k 1 60 "$build/hostile" "$scratch/run" filesize 300000
committed=$(sed -n 's/^events //p' "$scratch/stdout")
accounted=$("$build/check" - "$scratch"/run/*.zst | sed 's/.* events \([0-9]*\) .* lost \([0-9]*\) .*/\1 \2/' |
	awk '{ print $1 + $2 }')
refused=$(sed -n 's/^refused //p' "$scratch/stdout")
[ "$accounted" -ge $((committed + refused)) ] && [ "$accounted" -le $((committed + refused + 100)) ] &&
	ok 'file-size limit: every event is stored or counted' ||
	not_ok "file-size limit: $committed committed, $refused refused, $accounted accounted for"
rm -rf "$scratch/run"
expected='size limit'
EMIT_MAX_BYTES=500000 full 'size limit of the settings' timeout -k 1 60 "$build/emit" "$scratch/run" 2 400000 exit 50
[ "$(stat -c %s "$scratch"/run/*.zst)" -le 500000 ] && ok 'size limit is kept' || not_ok 'size limit is kept'
rm -rf "$scratch/run"
expected=exit
mkdir "$scratch/run"
if mount -t tmpfs -o size=3m none "$scratch/run" 2>/dev/null; then
	traces=$scratch/run/deep
	full 'small tmpfs' timeout -k 1 60 "$build/emit" "$traces" 2 1500000 exit 50
	umount "$scratch/run"
else
	skip 'small tmpfs: mount is not allowed here'
fi
finish
