# colour on request only, and hostile names cannot act on the terminal
esc=$(printf "\033")
trace-analyzer dump "$TRACES/small.msgpack.zst" | grep -c "$esc"
trace-analyzer dump --color=always "$TRACES/small.msgpack.zst" | grep -c "$esc"
trace-analyzer dump "$TRACES/hostile.msgpack.zst" | grep -c "$esc"
true
