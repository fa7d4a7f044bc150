# what a log refuses, each time with the file left as it was
cp "$TRACES"/{training,small,lost,waits}.msgpack.zst .
attempt() {
	trace-analyzer "$@" 2>&1
	echo "exit code $?"
}
attempt log
attempt log delete
attempt log show
attempt log add -m text
attempt log add training.msgpack.zst
attempt log add training.msgpack.zst -m ''
attempt log add training.msgpack.zst -m $'two\nlines'
attempt log add training.msgpack.zst -m "$(printf 'x%.0s' {1..512})"
attempt log add training.msgpack.zst -m text --samples 0
attempt log add training.msgpack.zst -m text --samples 12x
attempt log add training.msgpack.zst -m text --file nowhere/log
attempt log add nowhere -m text
attempt log add small.msgpack.zst -m 'no steps'
attempt log add lost.msgpack.zst -m 'events are missing'
attempt log add waits.msgpack.zst -m 'nothing was launched'
ls
trace-analyzer log add training.msgpack.zst -m first >/dev/null
attempt log show training.msgpack.zst
attempt log show -m text
damaged() { # command of sed
	sed "$1" optimisation-log.txt >damaged
	cp damaged kept
	attempt log show --file damaged
	trace-analyzer log add training.msgpack.zst -m text --file damaged >/dev/null 2>&1
	echo "exit code $? of add"
	cmp damaged kept
}
damaged '/^# end/d'
damaged 's/^attempt [0-9.]* .*/attempt 1.5/'
damaged 's/^attempt [0-9]*[.]/attempt -/'
damaged 's/ | 1 | / | 99999999999999999999 | /'
damaged 's/ | first$/ | /'
damaged 's/ | first$/&\x01/'
damaged 's/^attempt/attmept/'
damaged 's/^run program.*/&\n&/'
damaged '/^run world_size/d'
damaged '1s/1$/2/'
damaged 's/^attempt .*/<<<<<<< HEAD\n&\n=======\n&\n>>>>>>> other/'
damaged 's/# end/&\nattempt/'
damaged 's/^run program = .*/run program = other.py/'
damaged 's/^run framework = .*/run framework = paddle/'
damaged 's/^run gpu = .*/run gpu = simulated/'
damaged 's/^run gpu = .*/run gpu = toy/'
damaged 's/^run world_size = .*/run world_size = 8/'
attempt log show --file training.msgpack.zst
attempt log show --file .
trace-analyzer log show
ls
