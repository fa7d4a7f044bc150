# What --simulate refuses, before COMMAND runs: one line, and the exit status.
run() { "$HERE/bin/trace-run" "$@" 2>&1 | sed -E "s|$HERE|.|g; s|[^ ]*/python3|PYTHON|g"; echo "exit ${PIPESTATUS[0]}"; }
HERE=$PWD
mkdir -p bin lib
# an interpreter that has the standard library alone
printf '#!/bin/sh\nexec %s -S "$@"\n' "$(command -v python3)" >bin/python3
chmod +x bin/python3
PATH=$PWD/bin:$PATH
cp "$ROOT/scripts/trace-run" bin
cp "$EMIT" lib/libtrace.so
echo 'not installed:'
run --simulate true
parts=lib/libtrace/cudasim
mkdir -p "$parts/obj/12" "$parts/wheel"
touch "$parts/libcudasim_compute.so" "$parts/obj/12/libcudart.o"
cp "$ROOT"/test/cudasim/wheel/*.py "$parts/wheel"
echo 'steps:'
for steps in 0 00 0+0 3+0 5-3 -3 3- 1-2-3 ten; do
	run --simulate --steps "$steps" python3 -c 'print("ran")'
done
echo 'no PyTorch:'
printf '#!/usr/bin/env python3\nprint("ran")\n' >train.py
chmod +x train.py
run --simulate ./train.py
run --simulate sh -c 'echo ran'
echo 'a build without CUDA:'
mkdir -p site/torch
touch site/torch/__init__.py
export PYTHONPATH=$PWD/site
printf "__version__ = '2.9.1+cpu'\ncuda: Optional[str] = None\n" >site/torch/version.py
run --simulate python3 train.py
echo 'one for another CUDA:'
printf "__version__ = '1.13.1+cu117'\ncuda = '11.7'\n" >site/torch/version.py
run --simulate python3 train.py
echo 'no compiler:'
printf "__version__ = '2.9.1+cu128'\ncuda: Optional[str] = '12.8'\n" >site/torch/version.py
CC=nosuchcompiler XDG_CACHE_HOME=$PWD/cache run --simulate python3 train.py
echo 'no interpreter:'
mkdir tools
for tool in sh env dirname readlink id printf mkdir; do ln -s "$(command -v "$tool")" tools; done
PATH=$PWD/tools "$HERE/bin/trace-run" --simulate sh -c 'echo ran' 2>&1
echo "exit $?"
