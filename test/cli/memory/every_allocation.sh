# allocations that fail: all of the output, or exit status 4 and a line
gcc -O1 -shared -fPIC -o failing.so "$ROOT/test/cli/memory/failing.c" || exit 1
python3 "$ROOT/test/cli/memory/every_allocation.py"
