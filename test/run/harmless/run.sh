#!/bin/bash
# What the library does to programs that it has no business with, and to those that treat it badly while the
# device is recorded: they end as they do without it, in time, and what the trace says is right.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
. test/run/harmless/sanitized.sh
. test/run/harmless/descriptors.sh
. test/run/harmless/taken.sh
build=$(readlink -f "${BUILD:-build}")
library=$build/libtrace.so
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-harmless-XXXXXX")
trap 'rm -rf "$work"' EXIT
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD CUDASIM_CUPTI NVTX_INJECTION64_PATH
export CUDASIM_LAUNCH=1us

equal() { # name, expected, got
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: expected '$2', got '$(head -c 300 <<<"$3")'"; fi
}

two_majors() {
	local major
	for major in 12 13; do
		mkdir "$work/$major"
		echo "int cuptiFinalize(void); int cuptiFinalize(void) { return $major; }" |
			gcc -shared -fPIC -Wl,-soname,libcupti.so.$major -x c -o "$work/$major/libcupti.so.$major" - || return
	done
}

build_all() {
	make -s -C test/cudasim BUILD="$build/cudasim" programs >"$work/make" 2>&1 || { cat "$work/make"; exit 4; }
	local flags="-std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -I. -DCUDART_MAJOR=13"
	# shellcheck disable=SC2086 # words
	gcc $flags -o "$work/hostile" test/run/harmless/hostile.c -L"$build/cudasim/13" -lcudart -lcuda -lpthread -ldl &&
		gcc $flags -o "$work/counted" test/run/harmless/counted.c -L"$build/cudasim/13" -lcudart &&
		gcc $flags -shared -fPIC -o "$work/libbound.so" test/run/harmless/bound.c -L"$build/cudasim/13" -lcudart &&
		two_majors &&
		echo 'int main(void) { return 5; }' | gcc -static -x c -o "$work/static" - || exit 4
	export LD_LIBRARY_PATH=$build/cudasim/13
}

# Twice: plainly and under the library. Same status and output; the trace is whole.
both() { # name, seconds, command...
	local name=$1 limit=$2 plain traced
	shift 2
	rm -rf "$work/out"
	timeout "$limit" "$@" >"$work/plain" 2>&1 </dev/null
	plain=$?
	LD_PRELOAD=$library LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/out timeout -k 5 "$limit" "$@" >"$work/traced" 2>&1 </dev/null
	traced=$?
	equal "$name: status and output" "$plain $(cat "$work/plain")" "$traced $(cat "$work/traced")"
	"$build/trace-analyzer" dump "$work/out" >"$work/dump" 2>"$work/dump.err"
}

kinds() { grep -c " $1 " "$work/dump"; }
lost() { sed -n 's/^lost .*count=\([0-9]*\).*/\1/p' "$work/dump" | awk '{ sum += $1 } END { print sum + 0 }'; }

# Nothing is opened, started or left behind where CUDA is not used.
test_untouched() {
	local name
	if ! command -v strace >/dev/null || ! strace -o /dev/null true 2>/dev/null; then
		skip 'processes without CUDA: strace is not there'
		return
	fi
	mkdir "$work/empty"
	for name in 'python3 -c pass' 'bash -c :' 'git --version' "$work/hostile plain"; do
		rm -rf "$work/out"
		# shellcheck disable=SC2086 # words
		(cd "$work/empty" && strace -f -o "$work/calls" -E LD_PRELOAD="$library" -E LIBTRACE_OUT="$work/out" \
			${name/python3//usr/bin/python3} >/dev/null 2>"$work/said")
		equal "$name: no libcupti, no thread, no file, no word" '0 0 0 ' "$(grep -c libcupti "$work/calls") $(
			grep -c 'CLONE_THREAD' "$work/calls") $(ls "$work/out" "$work/empty" 2>/dev/null | grep -c '\.') $(cat "$work/said")"
		equal "$name: nothing is made or written by us" '' \
			"$(grep -E 'mkdir|O_CREAT|memfd|eventfd' "$work/calls" | grep -v '/dev/' | head -n 3)"
	done
	LD_PRELOAD=$library LIBTRACE_OUT=$work/out "$work/static"
	equal 'a static program' '5 ' "$? $(ls "$work/out" 2>/dev/null)"
}

# LD_PRELOAD is taken away, the other variables are left.
test_cleared() {
	local variable
	variable=$(LD_PRELOAD=$library LIBTRACE_OUT=$work/out bash -c 'echo "$NVTX_INJECTION64_PATH"')
	equal 'NVTX is pointed at us' "$library" "$variable"
	env -u LD_PRELOAD NVTX_INJECTION64_PATH="$library" LIBTRACE_OUT="$work/out" "$work/hostile" threads 4 >"$work/traced" 2>&1
	equal 'a child without LD_PRELOAD' '0 threads: 4 done, 0 failed' "$? $(cat "$work/traced")"
	equal 'it leaves nothing' '' "$(ls "$work/out" 2>/dev/null)"
}

# A container may have no /proc, or an empty one.
test_without_proc() {
	if ! unshare -m mount -t tmpfs none /proc 2>/dev/null; then
		skip 'no /proc: it cannot be covered here'
		return
	fi
	rm -rf "$work/out"
	LIBTRACE_OUT=$work/out unshare -m sh -c 'mount -t tmpfs none /proc && LD_PRELOAD=$1 exec "$2" threads 4' - \
		"$library" "$work/hostile" >"$work/traced" 2>"$work/said"
	equal 'no /proc: the same status and output' '0 threads: 4 done, 0 failed' "$? $(cat "$work/traced")"
	equal 'no /proc: one line, where the trace is' 1 "$(wc -l <"$work/said")"
	"$build/trace-analyzer" dump "$work/out" >"$work/dump" 2>/dev/null
	equal 'no /proc: all is recorded, and what is not is told' '4 4 1' "$(kinds launch) $(kinds device_kernel) $(
		grep -o '^source name=threads state=absent reason=/proc' "$work/dump" | sort -u | wc -l)"
}

# A path that counts from the folder in which the program began holds in its children everywhere.
test_relative() {
	local variables from where command
	mkdir "$work/elsewhere" "$work/a b"
	cp "$library" "$work/a b/libtrace.so"
	for variables in LD_PRELOAD=libtrace.so:./libtrace.so LD_PRELOAD="${library#/}" "LD_PRELOAD=./libtrace.so $library"; do
		from=$build where=$work/elsewhere
		[ "$variables" != "LD_PRELOAD=${library#/}" ] || from=/
		for command in "env -C $where $work/hostile short 3" "bash -c 'cd $where && $work/hostile short 3'" \
			"/usr/bin/python3 -c 'import subprocess; subprocess.run([\"$work/hostile\", \"short\", \"3\"], cwd=\"$where\")'"; do
			rm -rf "$work/out"
			(cd "$from" && eval "LIBTRACE_LOG=quiet LIBTRACE_OUT='$work/out' LD_LIBRARY_PATH=.:$LD_LIBRARY_PATH \
				exec env '$variables' $command") >"$work/traced" 2>&1
			"$build/trace-analyzer" dump "$work/out" >"$work/dump" 2>"$work/dump.err"
			equal "${variables/$build/...}, ${command%% *}: the child is recorded and nothing is said" \
				"3 short: 3 done, 0 failed" "$(kinds launch) $(cat "$work/traced")"
		done
	done
	equal 'switched off, nothing is said either' '' "$(cd "$build" && LIBTRACE_ENABLE=0 LD_PRELOAD=./libtrace.so \
		env -C "$work/elsewhere" true 2>&1)"
	equal 'others and what is between them stay' "x/liba.so $library::y/libb.so" "$(cd "$build" && exec 2>/dev/null &&
		LD_PRELOAD='x/liba.so ./libtrace.so::y/libb.so' sh -c 'echo "$LD_PRELOAD"')"
	equal 'a path that an entry cannot have is left' ./libtrace.so "$(cd "$work/a b" &&
		LD_PRELOAD=./libtrace.so sh -c 'echo "$LD_PRELOAD"')"
}

# The same for the folder of the run, in shells too, which bring their own way to set a variable.
test_relative_folder() {
	local shell
	for shell in sh bash; do
		rm -rf "$work/out"
		(cd "$work" && LD_PRELOAD=$library LIBTRACE_LOG=quiet LIBTRACE_OUT=out exec "$shell" -c \
			'cd elsewhere && "$1" short 3 && :' - "$work/hostile") >"$work/traced" 2>&1
		equal "$shell: LIBTRACE_OUT counts from where it began" 1 "$(find "$work/out" -name '*.zst' 2>/dev/null | wc -l)"
	done
}

test_memory() {
	local bytes
	bytes=$(($(readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')))
	if [ $bytes -gt 0 ] && [ $bytes -le 256 ]; then
		ok "$bytes bytes of each thread's static storage"
	else
		not_ok "$bytes bytes of each thread's static storage"
	fi
}

test_threads() {
	both '1000 threads at once' 120 "$work/hostile" threads 1000
	equal '1000 threads at once: all their kernels, and those of the device' '1000 1000 0' "$(kinds launch) $(kinds device_kernel) $(lost)"
	both 'many threads that end at once' 200 "$work/hostile" short "${SHORT:-10000}"
	equal 'many threads: all of them are accounted for' "${SHORT:-10000}" "$(kinds device_kernel)"
}

test_ends() {
	local count
	for count in 1 5 37; do
		both "exit inside CUPTI's callback at call $count" 30 "$work/hostile" callback $count
		equal "exit inside CUPTI's callback at call $count: the trace has an end" 1 "$(grep -c '^end ' "$work/dump")"
	done
	both 'a library that binds by itself comes and goes' 60 "$work/hostile" unload "$work/libbound.so"
	both 'two CUPTI libraries that come and go' 20 "$work/hostile" majors "$work/12/libcupti.so.12" "$work/13/libcupti.so.13"
	equal 'two CUPTI libraries: each is called' '12 13 13 12 12 13' "$(head -n 3 "$work/traced" | xargs)"
	both 'main leaves, another thread works on' 20 "$work/hostile" leave
	equal 'main leaves, another thread works on: all is recorded' '2 2 1' "$(kinds launch) $(kinds device_kernel) $(
		grep -c '^end ' "$work/dump")"
	both 'forks while others launch' 100 "$work/hostile" forks
}

# Calls that a full ring had no room for, as the trace itself counts them.
lost() { "$build/trace-analyzer" report --format json "$work/out" 2>/dev/null | sed -n 's/^ *"lost": *\([0-9]*\),*$/\1/p' | head -n 1; }

# Ended at any moment, the file has what was delivered and nothing that is wrong.
test_kills() {
	local i bad=0 read=0 asked
	for ((i = 0; i < ${KILLS:-50}; i++)); do
		rm -rf "$work/out"
		LD_PRELOAD=$library LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/out timeout -s KILL \
			"0.$((RANDOM % 8 + 1))$((RANDOM % 10))" "$work/hostile" endless >/dev/null 2>&1
		[ -e "$work/out" ] || continue
		if ! "$build/trace-analyzer" dump "$work/out" >"$work/dump" 2>"$work/dump.err" && [ -s "$work/dump" ]; then
			bad=$((bad + 1))
			cp "$work/dump.err" "$work/bad"
			continue
		fi
		read=$((read + 1))
		# what the device says began after what asked for it, which is there unless it is counted as lost;
		# it has a name and an end
		asked=$(($(kinds launch) + 1 + $(lost) + 0))
		if [ "$(kinds device_kernel)" -gt "$asked" ] ||
			grep ' device_kernel ' "$work/dump" | grep -qv 'scale'; then
			bad=$((bad + 1))
			echo "$(kinds device_kernel) kernels of the device, $(kinds launch) launches, $(lost) lost" >"$work/bad"
		fi
	done 2>/dev/null
	equal "SIGKILL at random times: $read traces are read" "0 " "$bad $(cat "$work/bad" 2>/dev/null)"
}

# A file that may not grow, a folder that is full: the program goes on, what is missing is counted.
test_full() {
	local script='ulimit -f 40; exec "$@"'
	both 'files may not grow' 60 bash -c "$script" - "$work/hostile" short 3000
}

# What a run leaves is for its owner, or for whom LIBTRACE_MODE names; the umask decides nothing.
test_owner() {
	local mode
	modes() { # umask, mode, arguments: files and folders after a SIGKILL, which leaves the live file too
		rm -rf "$work/deep"
		(umask "$1" && LIBTRACE_MODE=$2 LD_PRELOAD=$library LIBTRACE_LOG=error LIBTRACE_OUT=$work/deep/out \
			timeout -s KILL 1 "$work/hostile" endless) >/dev/null 2>&1
		(cd "$work" && find deep -printf '%f %m\n' | sed 's/^.*-[0-9]*\.//' | sort | xargs)
	}
	equal 'traces are 0600, folders 0700' 'deep 700 live 600 msgpack.zst 600 out 700' "$(modes 000 0600)"
	equal 'others may read when the variable says so' 'deep 755 live 644 msgpack.zst 644 out 755' "$(modes 077 0644)"
	mkdir -m 750 "$work/mine"
	LD_PRELOAD=$library LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/mine "$work/hostile" short 3 >/dev/null
	equal 'a folder that is there stays as it is' '750' "$(stat -c %a "$work/mine")"
	command_of() { "$build/trace-analyzer" dump --kind run "$work/out" | grep -o ' command=.* executable=' | sort -u; }
	for mode in 1 0; do
		rm -rf "$work/out"
		LD_PRELOAD=$library LIBTRACE_LOG=quiet LIBTRACE_OUT=$work/out LIBTRACE_COMMAND_LINE=$mode \
			"$work/hostile" short 3 --token=abc ftp://me:pw@host >/dev/null
		command_of | sed "s|$work/||" >"$work/command$mode"
	done
	equal 'secrets in the command line are masked' \
		' command=hostile short 3 --token=*** ftp://***@host executable=' "$(cat "$work/command1")"
	equal 'the command line is left out' ' command= executable=' "$(cat "$work/command0")"
}

# A program with rights that its caller has not, and that has the library by itself: it does nothing at all.
test_secure() {
	local place=$work/secure name
	mkdir "$place" && chmod 755 "$work" "$place" && mkdir -m 777 "$place/out"
	cp "$library" "$build"/cudasim/13/lib*.so* "$place"
	gcc -std=gnu17 -D_GNU_SOURCE -O1 -I. -DCUDART_MAJOR=13 -o "$place/hostile" test/run/harmless/hostile.c \
		-Wl,--no-as-needed "$place/libtrace.so" -L"$place" -lcudart -lcuda -lpthread -ldl -Wl,-rpath,"$place" || exit 4
	cp "$place/hostile" "$place/privileged"
	if ! chown 65534 "$place/privileged" 2>/dev/null || ! chmod u+s "$place/privileged" ||
		LD_SHOW_AUXV=1 "$place/privileged" short 1 2>&1 | grep -q AT_SECURE; then
		skip 'a program with other rights than its caller: not possible here'
		return
	fi
	for name in hostile privileged; do
		LIBTRACE_OUT=$place/out/$name LIBTRACE_LOG=quiet setpriv --reuid 65533 --clear-groups \
			"$place/$name" short 3 >"$work/said" 2>&1
		echo "$name $? $(tail -n 1 "$work/said") $(find "$place/out" -name '*.zst' | grep -c "$name")"
	done >"$work/both"
	equal 'a program with other rights than its caller is left alone' \
		'hostile 0 short: 3 done, 0 failed 1 privileged 0 short: 3 done, 0 failed 0' "$(xargs <"$work/both")"
}

# A trace that somebody else took away or put another file in the place of: said at the end.
test_gone() {
	local what said out=$work/gone
	for what in "rm -r $out" "cd $out && for f in *.zst; do cp \$f x && mv x \$f; done" "cd $out && truncate -s 8 *.zst" \
		"mv $out $out.away"; do
		rm -rf "$out" "$out.away"
		LD_PRELOAD=$library LIBTRACE_OUT=$out timeout 30 "$work/hostile" changed "$what" >"$work/traced" 2>"$work/said"
		said="$? $(sed -n 's/^libtrace: .*gone.*zst: was removed or changed while.*/said/p' "$work/said") $(grep -c 'read with' "$work/said")"
		equal "a trace is gone (${what//$work/}): said at the end" '0 said 0' "$said"
	done
	rm -rf "$out"
	LD_PRELOAD=$library LIBTRACE_OUT=$out "$work/hostile" changed : >"$work/traced" 2>"$work/said"
	equal 'a trace that is there: nothing of the kind is said' 1 "$(grep -c 'read with' "$work/said")"
}

# It forks while the recorder begins, which reads files, and loads a library for the names of functions. What differs.
counted_often() { # which, times
	local out=$work/counted-$1
	for ((n = 0; n < $2; n++)); do
		LD_PRELOAD=$library LIBTRACE_LOG=quiet LIBTRACE_OUT=$out timeout -k 5 20 "$work/counted" >"$out.said" 2>&1 </dev/null
		cmp "$work/plain" "$out.said"
		rm -rf "$out"
	done
}

# The recorder's thread is none of the program's: Python that forks warns, or raises, where there is more than one.
test_counted() {
	local python found=0
	both 'threads are counted' 20 "$work/counted"
	equal 'four at once, 40 times: the children keep what they open, and their loader is whole' '' "$(
		for i in 1 2 3 4; do counted_often "$i" 40 & done; wait)"
	cat >"$work/fork.py" <<-'END'
		import ctypes, os, time
		runtime = ctypes.CDLL("libcudart.so.13")
		for _ in range(5):
		    runtime.cudaMalloc(ctypes.byref(ctypes.c_void_p()), 64)
		time.sleep(0.1)
		child = os.fork()
		if child == 0:
		    os._exit(7)
		print(os.waitpid(child, 0)[1])
	END
	for python in /usr/bin/python3.1[2-9] "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python; do
		if [ -x "$python" ] && "$python" -c 'import ctypes' 2>"$work/err"; then
			both "${python#"$HOME"} forks, each warning an error" 30 "$python" -W error "$work/fork.py"
			found=1
		fi
	done
	[ $found = 1 ] || skip 'no Python from 3.12 on, which counts its threads when it forks'
}

build_all
test_counted
test_owner
test_gone
test_secure
test_untouched
test_cleared
test_without_proc
test_relative
test_relative_folder
test_memory
test_sanitized
test_descriptors
test_taken
test_threads
test_ends
test_full
test_kills
finish
