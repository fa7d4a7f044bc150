# One line that says what is wrong, and the exit status for it.
run() { "$ROOT/scripts/trace-run" "$@"; echo "$*: $?"; }
run
run --stepping 3 true
run --log
run --library nothing.so true
run nosuchcommand
run -q sh -c 'exit 7'
run --help >help; awk 'length($0) > 100 || NR > 24' help
run --quiet --help | head -n 1
