#!/bin/bash
# MindSpore's functions in a stand-in for its libraries: what is recorded of them, and that they do what they do without
# us, whatever names they have.
set -u
cd "$(dirname "$0")/../../.." || exit 1
FRAMEWORK=mindspore
. test/run/stand_in.sh

make_package() { # folder, flags
	make_library "$work/$1/lib/libmindspore_profiler.so" test/run/mindspore/libmindspore_profiler.cc \
		-D_GLIBCXX_USE_CXX11_ABI=0 -Wl,-z,now "${@:2}"
	printf "__version__ = '2.10.0'\n" >"$work/$1/version.py"
}
train() { # package, sources
	run_both "$1" "$2" '^160 events ended' "$work/train" "$work/$1/lib/libmindspore_profiler.so" 40 3000 1000
}
make_package known
make_package names -DOTHER_NAMES
make_program

train known default
dump known
expect "operators, their kernels, waits for them" "$(count MatMul function) $(count 'MatMul kernel' function) $(count \
	'wait for backend_queue' function)" "40 40 40"
expect "a graph that ran, gradients" "$(count graph function) $(count backward function)" "1 1"
expect "nothing else" "$(grep -c ' op  .*framework=mindspore' "$work/dump")" 202
expect "values and results arrive, and what is thrown" "$(head -n 1 "$work/traced")" "40 values read, 3 results"
expect "reads, waits for data but for the ends" "$(count Tensor.asnumpy function) $(count GetNext user)" "40 40"
expect "verdict, steps, state" "$(report known)" "mindspore io 40 active good"
expect "what is not seen" "$(source_row)" \
	"source name=mindspore state=active reason=what runs inside a graph that was compiled as a whole is not seen"

train known -mindspore
expect "switched off: nothing is left behind" "$(recorded known)" 0
train names default
dump names
expect "unknown names" "$(grep -c 'name=.*MatMul' "$work/dump")" 0

make_engine() { # folder, flags
	cp -r "$work/known" "$work/$1"
	make_library "$work/$1/_c_dataengine.so" test/run/mindspore/dataengine.cc -D_GLIBCXX_USE_CXX11_ABI=0 -Wl,-z,now \
		"${@:2}" -Wl,--no-as-needed "$work/$1/lib/libmindspore_profiler.so"
}
load() { # package, slow stage; without one the loop takes so long that queues are full on a busy machine, too
	SLOW=$2 run_both "$1" default '^0 events ended' "$work/train" "$work/$1/_c_dataengine.so" 40 12000 \
		"$([ "$2" = none ] && echo 25000 || echo 3000)"
	dump "$1"
	report "$1" >"$work/line" # and $work/report
}
pace() { # the stage that is said to set the pace
	python3 -c '
import json, re, sys
report = json.load(open(sys.argv[1]))
found = [finding["evidence"] for finding in report["findings"] if finding["rule"] == "input-pipeline"]
print("; ".join(re.match(r"(\S+) sets the pace", text)[1] for text in found) or "none")' "$work/report"
}
stages() { # of the table: name, number, level, capacity, rows; the last one first
	python3 -c '
import json, sys
print(*(":".join(str(row[key]) for key in ("name", "number", "level", "capacity", "rows"))
        for row in json.load(open(sys.argv[1]))["tables"]["pipeline"]))' "$work/report"
}
make_engine stages
for slow in generator:GeneratorOp\(ID:3\) map:MapOp\(ID:2\) batch:BatchOp\(ID:1\) none:none; do
	load stages "${slow%%:*}"
	expect "slow ${slow%%:*}: who sets the pace" "$(pace)" "${slow#*:}"
	expect "its stages, all rows" "$(stages)" "BatchOp:1:1:4:40 MapOp:2:2:16:160 GeneratorOp:3:3:16:160"
done
expect "state" "$(grep '^source name=mindspore_pipeline ' "$work/dump" | tail -n 1)" \
	"source name=mindspore_pipeline state=active reason="
make_engine unknown -DOTHER_NAMES
load unknown map
expect "queues that are not known: told" "$(grep '^source name=mindspore_pipeline ' "$work/dump" | tail -n 1)" \
	"source name=mindspore_pipeline state=absent reason=_c_dataengine has no _ZNK9mindspore7dataset9DatasetOp13ConnectorSizeEv"
expect "and nobody sets the pace" "$(pace) $(stages)" "none "
finish
