#!/bin/bash
# The preloaded library in programs that call, look up, wait, fork and end in every way: results are those
# without it, and what was called is in the trace. Needs no CUDA: the runtimes are small stand-ins.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
build=${BUILD:-build}
library=$(readlink -f "$build/libtrace.so") || exit 4
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-hooks-XXXXXX")
trap 'rm -rf "$work"' EXIT
source=$PWD/test/run/hooks
python=/usr/bin/python3
unset LIBTRACE_OUT LIBTRACE_RUN_DIR LIBTRACE_RUN_PID LD_PRELOAD

compile() { gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -I. "$@" -lpthread -ldl -lm || exit 4; }
shared() { compile -shared -fPIC "$@"; }

build_all() {
	mkdir -p "$work/bin/sub"
	local bin=$work/bin major
	for major in 12 13; do
		shared -DWHICH=$major -DRESULT=$major -Wl,-soname,libcudart.so.$major -o "$bin/libcudart.so.$major" \
			"$source/runtime.c"
		shared -Wl,-rpath,'$ORIGIN' -o "$bin/libmodule$major.so" "$source/module.c" "$bin/libcudart.so.$major"
	done
	mkdir "$bin/zero"
	shared -DWHICH=1 -DRESULT=0 -Wl,-soname,libcudart.so.12 -o "$bin/zero/libcudart.so.12" "$source/runtime.c"
	shared -o "$bin/libbefore.so" "$source/wrapper.c"
	shared -DWRAP_DLSYM -o "$bin/libdlsym.so" "$source/wrapper.c"
	echo 'int answer(void); int answer(void) { return 42; }' | shared -x c -o "$bin/sub/libneighbour.so" -
	shared -Wl,--enable-new-dtags,-rpath,'$ORIGIN' -o "$bin/sub/libthird.so" "$source/third.c"
	compile -o "$bin/lookups" "$source/lookups.c"
	local name
	for name in waits blocks children files processes rawforks storm; do
		compile -fexceptions -Wl,-rpath,"$bin/zero" -o "$bin/$name" "$source/$name.c" "$bin/zero/libcudart.so.12"
	done
	g++ -O1 -g -Wall -Wl,-rpath,"$bin/zero" -o "$bin/escapes" "$source/escapes.cc" "$bin/zero/libcudart.so.12" -lpthread || exit 4
	shared -o "$bin/libearly.so" "$source/early.c"
	echo 'int early_faults(void); int main(void) { return early_faults(); }' |
		compile -x c -Wl,-rpath,"$bin:$bin/zero" -o "$bin/early" - -x none "$bin/libearly.so" \
			"$bin/zero/libcudart.so.12"
	"$python" "$source/rows.py" runtime >"$work/rows_runtime.c" || exit 4
	"$python" "$source/rows.py" program >"$work/rows_program.c" || exit 4
	mkdir "$bin/rows"
	shared -w -Wl,-soname,libcudart.so.12 -o "$bin/rows/libcudart.so.12" "$work/rows_runtime.c"
	compile -w -Wl,-rpath,"$bin/rows" -o "$bin/rows/program" "$work/rows_program.c" "$bin/rows/libcudart.so.12"
}

# Run plainly and under the library; status, output and errors are left in $work/{plain,traced}.*
both() { # name, command...
	local name=$1
	shift
	rm -rf "$work/out"
	(cd "$work" && ulimit -c 0 && exec timeout 60 "$@") >"$work/plain.out" 2>"$work/plain.err" </dev/null
	plain=$?
	(cd "$work" && LD_PRELOAD="${before:-}$library${after:-}" LIBTRACE_OUT="$work/out" exec timeout 60 "$@") \
		>"$work/traced.out" 2>"$work/traced.err" </dev/null
	traced=$?
	if [ $plain != $traced ]; then
		not_ok "$name: status $traced instead of $plain: $(tail -n 2 "$work/traced.err")"
	elif ! cmp -s <(grep -v '^record ' "$work/plain.out") <(grep -v '^record ' "$work/traced.out"); then
		not_ok "$name: $(diff "$work/plain.out" "$work/traced.out" | head -n 4 | tr '\n' ' ')"
	else
		ok "$name: output and status as without the library"
	fi
}

trace() { "$python" "$source/trace.py" "$work/out" "$@"; }

equal() { # name, expected, got
	if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1: $(diff <(echo "$2") <(echo "$3") | head -n 5 | tr '\n' ' ')"; fi
}

test_rows() {
	both 'every hooked function' "$work/bin/rows/program"
	# What only keeps tables is not an event; that a device is chosen is one the first time.
	equal 'a device is chosen' 'cudaSetDevice 0' "$(trace | cut -d' ' -f1,2 | grep cudaSetDevice)"
	equal 'every call is in the trace, in order, with its result' "$(awk 'NR == FNR { recorded[$1]; next } $1 in recorded' \
		<("$python" test/run/truth/compare_log.py --recorded) "$work/plain.out")" "$(trace | cut -d' ' -f1,2 | grep -v cudaSetDevice)"
	local setting
	for setting in LIBTRACE_ENABLE=0 LIBTRACE_SOURCES=none LIBTRACE_RING_KB=4 LIBTRACE_SOURCES=-alloc; do
		export "${setting?}"
		both "every hooked function with $setting" "$work/bin/rows/program"
		[ $setting != LIBTRACE_SOURCES=-alloc ] || equal 'no allocation without alloc' '' "$(trace alloc)"
		[ $setting != LIBTRACE_SOURCES=none ] || equal 'no call without runtime' '' "$(trace launch copy set sync)"
		[ $setting != LIBTRACE_ENABLE=0 ] || equal 'nothing when it is off' '' "$(ls "$work/out" 2>/dev/null)"
		unset "${setting%%=*}"
	done
}

test_lookups() {
	both 'look-ups at run time' "$work/bin/lookups" "$work/bin"
	equal 'what was looked up goes to its own runtime' 'before: none
message: names it
absent: none
message: names it
lacking: none
direct: 12
direct: 12
direct: 12
linked with 12: 12
linked with 13: 13
linked with 13: 13
linked with 12: 12
direct 13: 13
neighbour: 1' "$(cat "$work/traced.out")"
	equal 'calls of a function that dlsym found are recorded' 'cudaMalloc 12
cudaMalloc 12
cudaMalloc 12
cudaMalloc 12
cudaMalloc 13
cudaMalloc 13
cudaMalloc 12' "$(trace | cut -d' ' -f1,2)"
}

test_chains() {
	local name
	for name in libbefore.so libdlsym.so; do
		before="$work/bin/$name:" after='' both "$name before us" "$work/bin/processes" '' cuda
		equal "$name before us is called, and so are we" 'wrapper: 1 cudaMalloc 0' \
			"$(grep -m 1 'wrapper: 1' "$work/traced.err") $(trace | cut -d' ' -f1,2 | grep cudaMalloc)"
		before='' after=":$work/bin/$name" both "$name after us" "$work/bin/processes" '' cuda
		equal "$name after us is called, and so are we" 'wrapper: 1 cudaMalloc 0' \
			"$(grep -m 1 'wrapper: 1' "$work/traced.err") $(trace | cut -d' ' -f1,2 | grep cudaMalloc)"
	done
	both 'constructors before ours' "$work/bin/early"
	equal 'calls before our constructor are not recorded' '' "$(ls "$work/out" 2>/dev/null)"
}

test_waits() {
	both 'blocking calls' "$work/bin/waits"
	local missing='' name least line
	trace input >"$work/inputs"
	while read -r _ name least; do
		line=$(awk -v name="$name" -v least="$least" '$1 == name && $3 >= least { print NR; exit }' "$work/inputs")
		if [ -z "$line" ]; then missing="$missing $name"; else sed -i "${line}d" "$work/inputs"; fi
	done < <(grep '^record ' "$work/plain.out")
	equal 'every blocking call is in the trace with its duration' '' "$missing"
	equal 'nothing else that took long is' '' "$(awk '$3 >= 10' "$work/inputs")"
	equal 'calls after a longjmp out of a handler are recorded' 'cudaMalloc 0
cudaStreamSynchronize 0
cudaMalloc 0' "$(trace alloc sync | cut -d' ' -f1,2)"
}

test_children() {
	both 'children that are forked before their parent records' "$work/bin/children"
	equal 'what they wait for is in the trace from when it does' "$(sed -n 's/^record \([a-z]*\) .*/\1/p' "$work/plain.out")" \
		"$(trace input | awk '$3 >= 15 && $1 != "wait" { print $1 }' | sort)"
	equal 'and what they put into queues' 2 "$(trace queue | wc -l)"
	equal 'and who only sleeps has no file' 4 "$(find "$work/out" -name '*.zst' | wc -l)"
	both 'children of a parent that does not record' "$work/bin/children" none
	equal 'nothing is' absent "$([ -e "$work/out" ] && echo there || echo absent)"
}

# Each line of the program's "record NAME RESULT MS WHAT MEDIUM" has its event, and nothing else took long.
test_blocks() {
	both 'blocking calls of other kinds' "$work/bin/blocks"
	local missing='' name result least what line
	trace input >"$work/inputs"
	while read -r _ name result least what; do
		line=$(awk -v wanted="$name $result $what" -v least="$least" \
			'$1 " " $2 " " $4 " " $5 == wanted && $3 >= least { print NR; exit }' "$work/inputs")
		if [ -z "$line" ]; then missing="$missing $name"; else sed -i "${line}d" "$work/inputs"; fi
	done < <(grep '^record ' "$work/traced.out")
	equal 'every one is in the trace with result, duration, what and medium' '' "$missing"
	equal 'nothing else that took long is, also not of other threads' '' "$(awk '$3 >= 15' "$work/inputs")"
}

# What is counted as opened and looked up is what the thread did that is recorded, and errno is always the program's.
test_files() {
	both 'files that are opened and looked up' "$work/bin/files"
	equal 'files: each is counted, and none of what the library opens itself' "$(tail -n 1 "$work/plain.out")" \
		"$("${library%/*}/trace-analyzer" dump "$work"/out/*.zst | awk '$1 == "count" { sub("name=", "", $2); sub("value=", "", $3); last[$2] = $3 }
			END { print "opens " last["opens"] " stats " last["stats"] }')"
	equal 'messages of a queue are in the trace, of a thread that is not recorded otherwise' "$(seq 0 19)" \
		"$("${library%/*}/trace-analyzer" dump "$work"/out/*.zst | awk '$4 == "queue" { sub("number=", "", $6); print $6 ~ /^bytes/ ? 0 : $6 }')"
	equal 'files: what takes long is in the trace' 'fopen 1 open 1' \
		"$(trace input | awk '$3 >= 10 { found[$1]++ } END { print "fopen", (found["fopen"] >= 1), "open", (found["open"] >= 2) }')"
}

test_processes() {
	local end
	for end in '' _exit quick_exit exec abort; do
		both "children, end by '${end:-return}', no CUDA" "$work/bin/processes" "$end" plain
		equal "no CUDA, end by '${end:-return}': nothing is left, nothing is said" '' \
			"$(ls "$work/out" 2>/dev/null)$(grep libtrace "$work/traced.err")"
		both "children, end by '${end:-return}', CUDA" "$work/bin/processes" "$end" cuda
		[ "$end" = abort ] || equal "end by '${end:-return}': one trace, before and after the failed exec" "cudaMalloc cudaStreamSynchronize " \
			"$(trace alloc sync | cut -d' ' -f1 | tr '\n' ' ')"
		[ "$end" = abort ] || equal "end by '${end:-return}': no live file is left" '1' "$(ls "$work/out" | wc -l)"
	done
	both 'a shell script' sh -c 'ls / | sort | head -n 3; (exit 3); echo $?; seq 3 | xargs -n 1 echo; exit 4'
	both 'Python with children' "$python" -c 'import os, subprocess, multiprocessing as m
print(subprocess.check_output(["echo", "x"]), os.system("exit 2"), subprocess.call("exit 3", shell=True, close_fds=True))
p = m.get_context("fork").Process(target=os._exit, args=(5,)); p.start(); p.join(); print(p.exitcode)
p = m.get_context("spawn").Process(target=print, args=("spawned",)); p.start(); p.join(); print(p.exitcode)'
	equal 'programs without CUDA leave nothing' '' "$(ls "$work/out" 2>/dev/null)$(cat "$work/traced.err")"
}

# Children that no handler of fork() hears of: what they call is not in the parent's trace.
test_raw_forks() {
	both 'children of _Fork, clone and system calls' "$work/bin/rawforks"
	local calls=$((($(grep -c : "$work/plain.out") + 2 + 4) * 50)) # the parent's, and those of four children's children
	equal 'raw forks: no call is foreign, none is missing' "$calls 0" "$(trace sync | wc -l) $(trace set | wc -l)"
	equal 'raw forks: children of a raw fork have traces of their own, the raw fork has none' 5 "$(ls "$work/out" | wc -l)"
}

# Calls that never return: what comes after them, from deeper frames, is recorded.
test_escapes() {
	both 'a longjmp, an exception and a cancelled thread leave calls' "$work/bin/escapes"
	equal 'what is called after them, deeper, is recorded' '300 300 made' "$(trace set | wc -l) $(cat "$work/traced.out")"
}

# Run waits under the library with settings; its line on stderr is left in $work/traced.err.
with() { # name, expected start of the line on stderr or -, settings...
	local name=$1 expected=$2
	shift 2
	rm -rf "$work/out"
	(cd "$work" && env LD_PRELOAD="$library" LIBTRACE_OUT="$work/out" "$@" timeout 60 "$work/bin/processes" '' cuda) \
		>"$work/traced.out" 2>"$work/traced.err" </dev/null
	if ! grep -q '^sync: 0' "$work/traced.out"; then
		not_ok "$name: the program did not go on"
	elif [ "$expected" = - ]; then
		equal "$name" '' "$(cat "$work/traced.err")"
	elif [ "$(grep -cF "$expected" "$work/traced.err")" = 1 ]; then
		ok "$name"
	else
		not_ok "$name: $(head -n 3 "$work/traced.err")"
	fi
}

test_settings() {
	with 'closing line' '; read with: trace-analyzer report '
	with 'quiet' - LIBTRACE_LOG=quiet
	with 'unknown variable' 'libtrace: LIBTRACE_OUTPUT=x: no such variable' LIBTRACE_OUTPUT=x
	with 'bad number' 'libtrace: LIBTRACE_RING_KB=many: must be a number of KiB' LIBTRACE_RING_KB=many
	with 'unknown source' 'libtrace: LIBTRACE_SOURCES=runtime,gpu: names a source that does not exist' \
		LIBTRACE_SOURCES=runtime,gpu
	with 'setting to come' 'libtrace: LIBTRACE_PYTHON_STACK=9: not in this version' LIBTRACE_PYTHON_STACK=9
	with 'no window' 'libtrace: LIBTRACE_STEPS=30-10: must be all, FIRST-LAST or FIRST+COUNT' LIBTRACE_STEPS=30-10
	equal 'samples are there' 1 "$(trace sample | head -n 1 | wc -l)"
	with 'no samples' '; read with: trace-analyzer report ' LIBTRACE_SOURCES=-host
	equal 'no samples: nothing is said but that' 1 "$(wc -l <"$work/traced.err")"
	equal 'no samples: none are there, calls are' '0 1' "$(trace sample | wc -l) $(trace alloc | grep -c cudaMalloc)"
	with 'bad pattern' 'libtrace: LIBTRACE_OUT=out-%q: ' LIBTRACE_OUT=out-%q
	rm -rf "$work"/trace-*
	with 'unwritable folder' 'libtrace: ' LIBTRACE_OUT=/proc/no/such
	with 'expanded pattern' "$work/pid-" LIBTRACE_OUT="pid-%p-%h-%r" RANK=0
	equal 'the pattern names pid, host and rank' 1 \
		"$(find "$work" -maxdepth 1 -name "pid-[0-9]*-$(uname -n)-0" | wc -l)"
	with 'other ranks say nothing' - LIBTRACE_OUT="rank-%r" RANK=3
	(cd "$work" && env LD_PRELOAD="$library" "$work/bin/processes" '' cuda >/dev/null 2>&1)
	equal 'the default folder is named after program, time and pid' 1 "$(find "$work" -maxdepth 1 -type d |
		grep -cE '/trace-processes-20[0-9]{6}-[0-9]{6}-[0-9]+$')"
}

# Calls made are calls recorded, lost, or skipped because the thread was inside the library or a call.
test_storm() {
	both 'signals at 10 kHz whose handler calls hooked functions' "$work/bin/storm" storm
	local made accounted
	made=$(sed -n 's/^made //p' "$work/traced.err")
	accounted=$("$python" "$source/account.py" "$work/out")
	equal 'calls made = recorded + lost + skipped' "$made" "$accounted"
	LIBTRACE_TOGGLE_SIGNAL=USR1 both 'recording is switched off and on by a signal' "$work/bin/storm" toggle
	equal 'only what was called while it was on is there' '300' "$(LIBTRACE_TOGGLE_SIGNAL='' trace set | wc -l)"
	both 'a program that becomes itself again' "$work/bin/storm" again
	equal 'both programs of the process are in the run' '7' "$(trace set | wc -l)"
}

test_run_script() {
	local out
	rm -rf "$work/out"
	out=$(scripts/trace-run --library="$library" -q --out "$work/out" -- "$work/bin/storm" again 2>&1)
	equal 'trace-run: the program prints what it prints' 'again' "$out"
	equal 'trace-run: it is recorded' '7' "$(trace set | wc -l)"
	scripts/trace-run --library="$library" -q --out "$work/out" -- "$work/bin/storm" again >/dev/null 2>&1
	"$build/trace-analyzer" report "$work/out" >/dev/null 2>"$work/err"
	equal 'trace-run: a second run into the same folder is another one' '2 2' \
		"$? $(grep -c ', from 2' "$work/err")"
	equal 'trace-run: one of the two can be named' '7' \
		"$("$build/trace-analyzer" dump --run last --kind set "$work/out" | wc -l)"
	scripts/trace-run --library="$library" --out "$work/none" "$work/bin/processes" "" none 2>"$work/err" >/dev/null
	equal 'trace-run: what recorded nothing is said' 1 "$(grep -c 'nothing was recorded: ' "$work/err")"
	scripts/trace-run --library="$library" --out "$work/out" sh -c "'$work/bin/processes' '' cuda; true" \
		2>"$work/err" >/dev/null
	equal 'trace-run: what a child recorded is something' 0 "$(grep -c 'nothing was recorded: ' "$work/err")"
	scripts/trace-run --library "$library" -q sh -c 'exit 7'
	equal 'trace-run: status of the command' 7 $?
	scripts/trace-run --no-such-option x 2>"$work/err"
	equal 'trace-run: unknown option' "2 trace-run: --no-such-option: no such option (see trace-run --help)" \
		"$? $(cat "$work/err")"
	scripts/trace-run --library /no/such/library.so true 2>"$work/err"
	equal 'trace-run: no library' '4 trace-run: /no/such/library.so: cannot be read' "$? $(cat "$work/err")"
	scripts/trace-run 2>"$work/err"
	equal 'trace-run: no command' 2 $?
}

build_all
test_rows
test_lookups
test_chains
test_waits
test_children
test_blocks
test_files
test_processes
test_raw_forks
test_escapes
test_settings
test_storm
test_run_script
finish
