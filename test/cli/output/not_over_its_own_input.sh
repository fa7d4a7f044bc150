# whatever the trace is called, and by whatever name the output is meant; other names are free
cp "$TRACES/small.msgpack.zst" renamed; ln -s renamed link; touch x.live
trace-analyzer dump --output renamed renamed; echo $?
trace-analyzer dump --output link ./renamed; echo $?
trace-analyzer dump --output x.live renamed; echo $?
cmp renamed "$TRACES/small.msgpack.zst" && trace-analyzer dump --quiet --output a.msgpack.zst.txt renamed && ls
