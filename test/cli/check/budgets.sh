# limits without a baseline, from the command line and from a file
trace="$TRACES/training.msgpack.zst"
trace-analyzer check "$trace" --max syncs=9/step --min 'gpu_busy = 0' --max copies.pageable=100
echo "exit code $?"
printf '# of this job\nmax syncs = 0/step # none at all\n\nmin gpu_busy = 101\nmax step_ms = 100\n' >budgets
trace-analyzer check "$trace" --budgets budgets
echo "exit code $?"
trace-analyzer check "$trace" --fail-on info --format json | grep '"what"'
echo 'max syncs' >budgets
trace-analyzer check "$trace" --budgets budgets 2>&1
echo "exit code $?"
trace-analyzer check "$trace" --max colour=3 2>&1
trace-analyzer check "$trace" --max syncs=many 2>&1
trace-analyzer check "$trace" --fail-on terrible 2>&1
trace-analyzer check "$trace" --fail-on rule=sync-scalar-reed 2>&1
trace-analyzer check "$trace" --fail-on rule=host-gc
cp "$trace" same.msgpack.zst
trace-analyzer check same.msgpack.zst same.msgpack.zst --max syncs=9 2>&1
trace-analyzer check "$trace" 2>&1
