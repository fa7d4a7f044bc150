#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the simulated device and checks it by its own C programs, for CUDA 12 and CUDA 13.
#
# Each program ends with a line "NAME: N passed, N failed"; the exit status is 1 if one failed.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-$here/../../build/cudasim}
status=0

make -s -C "$here" BUILD="$(mkdir -p "$build" && cd "$build" && pwd)" programs || exit 4

# Settings of the caller must not change what the programs expect.
for name in $(env | sed -n 's/^\(CUDASIM_[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done

for version in 12 13; do
	for program in conformance activity wait_accuracy launch_rate; do
		timeout 120 "$build/$version/$program" || status=1
	done
done

# A training loop must do the same on both versions, whatever its times are.
loops=0 wrong=0
for mode in input_bound launch_bound sync_bound gpu_bound copy_bound healthy; do
	first=$(timeout 60 "$build/12/train_loop" $mode 20) || first="failed on 12"
	second=$(timeout 60 "$build/13/train_loop" $mode 20) || second="failed on 13"
	if [ "$first" = "$second" ]; then
		loops=$((loops + 1))
	else
		wrong=$((wrong + 1))
		echo "train_loop $mode: '$first' differs from '$second'"
		status=1
	fi
done
echo "train_loop: $loops passed, $wrong failed"

# A runtime that gives up unloads the driver, whose log may go on.
unloads=0 wrong=0
for version in 12 13; do
	if CUDASIM_LOG=/dev/null python3 -c '
import _ctypes, ctypes, sys, time
driver = ctypes.CDLL(sys.argv[1])
failed = driver.cuInit(0)
_ctypes.dlclose(driver._handle)
time.sleep(0.3)
sys.exit(failed)' "$build/$version/libcuda.so.1"; then
		unloads=$((unloads + 1))
	else
		wrong=$((wrong + 1))
		status=1
	fi
done
echo "unloaded driver: $unloads passed, $wrong failed"
exit $status
