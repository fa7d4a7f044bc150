# a full disk ends the program with one line, a reader that stops early ends it quietly; same input, same output
trace-analyzer report --format html "$TRACES/training.msgpack.zst" >/dev/full; echo $?
trace-analyzer report --format html "$TRACES/training.msgpack.zst" | head -n 1
trace-analyzer report --format html -o a.html "$TRACES/training.msgpack.zst"; echo $?
trace-analyzer report --format html -o b.html "$TRACES/training.msgpack.zst"
cmp a.html b.html && grep -c "Content-Security-Policy" a.html
# a trace without steps makes a page too
trace-analyzer report --format html -o c.html "$TRACES/small.msgpack.zst"; echo $?
[ "$(wc -c <c.html)" -le 200000 ] && echo small
trace-analyzer report --format html --detail-steps 3-x "$TRACES/training.msgpack.zst"; echo $?
