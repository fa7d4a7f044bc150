# Nothing was recorded: trace-run says so, why, and what to do, and only where it is true.
run() { "$ROOT/scripts/trace-run" -o out "$@" 2>&1; echo "status $?"; }
run true
run sh -c 'true; exit 3'
run sh -c 'exec true'
run -q true
run sh -c 'sleep 30 >/dev/null 2>&1 & echo $! >left'
kill "$(cat left)"
run sh -c 'mkdir -p out && : >out/host-1.msgpack.zst'
LIBTRACE_ENABLE=0 run true
# somebody else's older file is none of this run
touch -d '1 hour ago' out/host-1.msgpack.zst
run true
LD_PRELOAD=$(dirname "$ANALYZER")/libtrace.so true
