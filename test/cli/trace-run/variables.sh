# Every option sets its variable; what follows the command is the command's.
show() { "$ROOT/scripts/trace-run" "$@" sh -c 'env | grep ^LIBTRACE_ | grep -v ^LIBTRACE_RUN_ | sed s,="$PWD"/,=, | sort | tr "\n" " "; echo "$@"' sh --out x; } 2>/dev/null
show -o a -s +nvtx,-host --ring-kb 64 --max-mb 5 --compression 3 --sample-hz 50 --source-kb 9 --probe "a:b;c:*" --steps 10-30 --begin profiler --toggle-signal USR2 -l info
show --out='a b' --sources=runtime --log=debug --
show -q
