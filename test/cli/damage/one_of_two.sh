# the good file is reported, the exit status says that something was not
mkdir run; cp "$TRACES/small.msgpack.zst" run/b.msgpack.zst; echo junk >run/a.msgpack.zst
trace-analyzer dump --kind launch run | wc -l
exit "${PIPESTATUS[0]}"
