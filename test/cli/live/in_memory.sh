# What a killed process had in /dev/shm is read from there and comes into the folder; what is gone is said.
EMIT_COUNTS=counts "$EMIT" run 2 0 wait 5 &
"$ROOT/test/cli/live/until_recording" counts
live=$(echo run/*.live)
read -r tag target <"$live"
if [ "$tag" != LTRPATH1 ]; then
	# no room there: nothing to be seen of it
	kill -9 $!
	cat "$ROOT/test/cli/live/in_memory.sh.stdout.exact"
	exit 0
fi
trace-analyzer dump --format json run >/dev/null 2>&1
[ -e "$target" ] && echo 'while it runs: there'
{ kill -9 $!; wait $!; } 2>/dev/null
cp -r run copied
trace-analyzer dump --format json copied 2>/dev/null | python3 "$ROOT/test/cli/live/contiguous.py" counts
[ -e "$target" ] && echo 'after a copy was read: there'
trace-analyzer dump --format json run 2>/dev/null | python3 "$ROOT/test/cli/live/contiguous.py" counts
[ -e "$target" ] || echo 'after it was read: in the folder'
[ "$(head -c 8 "$live")" = LTRLIVE1 ] && ls run | wc -l
trace-analyzer dump --format json run 2>/dev/null | python3 "$ROOT/test/cli/live/contiguous.py" counts
trace-analyzer dump copied 2>&1 >/dev/null | grep -o 'what it had.*gone'
