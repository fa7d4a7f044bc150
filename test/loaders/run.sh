#!/bin/bash
# Loaders of a known pace, each recorded: is the finding the right one, and does what it promises come true when the
# number of workers that it names is given? Needs a quiet machine: on a busy one numbers are withheld, and skipped here.
#   run.sh [CASE]...
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
build=$(realpath "${BUILD:-build}")
if ! test/cudasim/run --cached 2.15.0 >/dev/null 2>&1; then
	skip "torch is not in the cache (test/cudasim/run fetches it)"
	finish
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
for number in 0 1 2 3 4 5 6 7; do
	head -c 100000 /dev/urandom >"$work/files/$number"
done
"${CC:-cc}" -shared -fPIC -o "$work/delay.so" test/loaders/delay.c || exit 1
processors=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc) # which obeys those two
export FOLDER=$work/files DELAY_US=10000 OMP_NUM_THREADS=1 LIBTRACE_LOG=quiet

run() { # into NAME: the program's arguments
	local name=$1
	shift
	timeout 300 test/cudasim/run env LD_PRELOAD="$preload" LIBTRACE_OUT="$work/$name" \
		python3 -W ignore test/loaders/program.py "$@" >"$work/$name.json" 2>"$work/$name.err"
}

report() { # name
	"$build/trace-analyzer" report --format json --tables=workers --output "$work/$1.report" "$work/$1" 2>/dev/null
}

queues() { # name
	local out
	out=$(python3 test/loaders/judge.py --queues "$work/$1.report" "$work/$1.json") && ok "$1: $out" || not_ok "$1: $out"
}

numbered() { # name, workers
	local line out
	line=$PWD/test/loaders/program.py:$(sed -n '/batch = next(/=' test/loaders/program.py)
	out=$(python3 test/loaders/judge.py --numbered "$work/$1.report" "$2" "$line") && ok "$1: $out" || not_ok "$1: $out"
}

case_() { # name, rule ("-": none of input's), arguments
	local name=$1 rule=$2 out more
	shift 2
	[ ${#cases[@]} -eq 0 ] || [[ " ${cases[*]} " == *" $name "* ]] || return
	preload=$build/libtrace.so
	[[ $1 == files:* ]] && preload+=:$work/delay.so
	run "$name" "$@" || not_ok "$name: $(tail -n 1 "$work/$name.err")"
	report "$name"
	[[ $name =~ ^(two|spawned|served)$ ]] && numbered "$name" "$2"
	[[ $name =~ ^(two|enough|fast|spawned|pinned|stays|uneven)$ ]] && queues "$name"
	out=$(python3 test/loaders/judge.py "$rule" "$work/$name.report" "$work/$name.json")
	case $? in
	0) ok "$name: $out" ;;
	3) # a promise: number of workers, step in ms
		read -r workers promised <<<"$out"
		case $rule in
		host-blocked) run "$name-after" "${1%:*}:1" "${@:2}" ;; # as if nothing had to be waited for
		input-uneven) PREFETCH=$workers run "$name-after" "$@" ;;
		input-first-batch) run "$name-after" "$@" persistent ;;
		*) run "$name-after" "$1" "$workers" "${@:3}" ;;
		esac
		report "$name-after"
		reports=("$work/$name.report" "$work/$name-after.report")
		[ "$rule" != input-too-many-workers ] || reports=() # which keep the machine busy themselves
		more=$(python3 test/loaders/judge.py --came-true "$promised" "$work/$name-after.json" "${reports[@]}")
		case $? in
		0) ok "$name: $rule, $workers workers: $more" ;;
		4) skip "$name: $rule, $workers workers, on a busy machine: $more" ;;
		*) not_ok "$name: $rule, $workers workers: $more" ;;
		esac ;;
	4) skip "$name: $out" ;;
	*) not_ok "$name: $out" ;;
	esac
}

cases=("$@")
case_ single input-single-process wait:70 0 1 60
case_ one input-workers-saturated wait:70 1 1 60
case_ two input-workers-saturated wait:70 2 1 100
case_ enough - wait:50 4 1 100
case_ fast - wait:1 2 1 100
START=spawn case_ spawned input-workers-saturated wait:70 2 1 200
START=forkserver case_ served input-workers-saturated wait:70 2 1 200
PIN=1 case_ pinned input-workers-saturated wait:70 2 1 100
case_ stays input-workers-saturated wait:70 2 3 40 persistent
case_ uneven input-uneven uneven:400 4 2 100
case_ slow-batches !input-first-batch wait:400 8 3 25
case_ storage input-storage files:8 2 1 100
case_ first input-first-batch first:400 2 8 30
case_ thread host-blocked thread:60 0 1 60
case_ queue host-queue queue:60 1 1 100
# each batch is more than all processors together can do in the time of a step
case_ too-many input-too-many-workers "cpu:$((40 * processors))" "$((2 * processors))" 1 100
finish
