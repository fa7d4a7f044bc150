#!/bin/bash
# Loaders of a known pace, each recorded: is the finding the right one, and does what it promises come true when the
# number of workers that it names is given? Needs a quiet machine: on a busy one numbers are withheld, and skipped here.
#   run.sh [--short | CASE...]      --short: the cases that are quick, and use little of the processors
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

# What the finding promises, with the loader mended as it says: status 0 true, 4 not known, else wrong; in $told.
mended() { # name, rule, workers, promised step in ms; arguments
	local name=$1 rule=$2 workers=$3 promised=$4 status reports
	shift 4
	case $rule in
	host-blocked) run "$name-after" "${1%:*}:1" "${@:2}" ;; # as if nothing had to be waited for
	input-uneven) PREFETCH=$workers run "$name-after" "$@" ;;
	input-first-batch) run "$name-after" "$@" persistent ;;
	input-decode) run "$name-after" "${1%:*}:$workers" "${@:2}" ;; # a faster decoder
	input-storage)
		if [ "$2" = 0 ]; then
			DELAY_US=$workers run "$name-after" "$@" # faster storage
		else
			run "$name-after" "$1" "$workers" "${@:3}"
		fi ;;
	input-pin-missing) PIN=1 run "$name-after" "$@" ;;
	*) run "$name-after" "$1" "$workers" "${@:3}" ;;
	esac
	report "$name-after"
	reports=("$work/$name.report" "$work/$name-after.report")
	[ "$rule" != input-too-many-workers ] || reports=() # which keep the machine busy themselves
	told=$(python3 test/loaders/judge.py --came-true "$promised" "$work/$name-after.json" "${reports[@]}")
	status=$?
	told="$rule, $workers: $told"
	return $status
}

# One try of a case: status 0 right, 4 not known, else wrong; in $told.
tried() { # name, rule, arguments
	local name=$1 rule=$2 status
	shift 2
	run "$name" "$@" || { told=$(tail -n 1 "$work/$name.err") && return 1; }
	report "$name"
	told=$(python3 test/loaders/judge.py "$rule" "$work/$name.report" "$work/$name.json")
	status=$?
	[ $status = 3 ] || return $status
	read -r workers promised <<<"$told" # a promise: number of workers, step in ms
	mended "$name" "$rule" "$workers" "$promised" "$@"
}

# What is told on a machine that others use, and does not come true, is tried again.
case_() { # name, rule ("-": none of input's), arguments
	local name=$1 rule=$2 status=1 try
	shift 2
	[ ${#cases[@]} -eq 0 ] || [[ " ${cases[*]} " == *" $name "* ]] || return
	preload=$build/libtrace.so
	[[ $1 != files:* && $1 != streams:* ]] || preload+=:$work/delay.so
	for try in 1 2 3; do
		rm -rf "$work/$name" "$work/$name-after"
		tried "$name" "$rule" "$@"
		status=$?
		[ $status != 0 ] && [ $status != 4 ] || break
		echo "try $try of $name: $told"
	done
	case $status in
	0) ok "$name: $told" ;;
	4) skip "$name, on a busy machine: $told" ;;
	*) not_ok "$name: $told" ;;
	esac
	[[ $name =~ ^(two|spawned|served)$ ]] && numbered "$name" "$2"
	[[ $name =~ ^(two|enough|fast|spawned|pinned|stays|uneven)$ ]] && queues "$name"
}

cases=("$@")
[ "${1-}" != --short ] || cases=(single storage unpinned ahead)
case_ single input-single-process wait:70 0 1 60
case_ one input-workers-saturated wait:70 1 1 60
case_ two input-workers-saturated wait:70 2 1 100
case_ four input-workers-saturated wait:140 4 1 120
case_ enough - wait:50 4 1 100
case_ fast - wait:1 2 1 100
START=spawn case_ spawned input-workers-saturated wait:70 2 1 200
START=forkserver case_ served input-workers-saturated wait:70 2 1 200
PIN=1 case_ pinned input-workers-saturated wait:70 2 1 100
case_ stays input-workers-saturated wait:70 2 3 40 persistent
case_ uneven input-uneven uneven:400 4 2 100
case_ slow-batches !input-first-batch wait:400 8 3 25
case_ storage input-storage files:8 2 1 100
case_ storage-stream input-storage streams:8 2 1 100
case_ storage-single input-single-process files:8 0 1 60
case_ slow-reads input-storage files:8 0 1 60
case_ decode input-decode decode:60 2 1 120
case_ decode-one input-decode decode:30 1 1 100
export CUDASIM_KERNELS='*gemm*=2ms;*=20us' # of the GPU's two
PIN=1 case_ ahead input-workers-saturated ahead:60 2 1 200
CUDASIM_COPY='pageable=1GB/s;h2d=3GB/s' case_ unpinned input-pin-missing copied:8 3 1 200
case_ first input-first-batch first:400 2 8 30
case_ thread host-blocked thread:60 0 1 60
case_ queue host-queue queue:60 1 1 100
# each batch is more than all processors together can do in the time of a step
case_ too-many input-too-many-workers "cpu:$((40 * processors))" "$((2 * processors))" 1 100
finish
