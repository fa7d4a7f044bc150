#!/bin/bash
# JAX's compiled functions in a stand-in for its library: what is recorded of their calls, and that they do what they
# do without us, whatever their type is.
set -u
cd "$(dirname "$0")/../../.." || exit 1
FRAMEWORK=jax
. test/run/stand_in.sh

make_package() { # folder, flags
	make_library "$work/$1/libjax_common.so" test/run/jax/libjax_common.cc "${@:2}"
	printf '_version = "0.10.2"\n' >"$work/$1/version.py"
}
train() { # package, sources
	run_both "$1" "$2" '^called with 83, refused 1' python3 test/run/jax/train.py "$work/$1/libjax_common.so"
}
make_package known
make_package names -DOTHER_NAMES
make_package type -DOTHER_TYPE
make_package allocation -DOTHER_ALLOCATION

train known default
dump known
line=$(grep -n '# step' test/run/jax/train.py | cut -d : -f 1)
expect "calls at their line" "$(grep -c " name=jit(step) scope=function framework=jax .*train.py:$line" "$work/dump")" 40
expect "others, also the refused" "$(count 'jit(other)' function)" 3
expect "whose functions: JAX's own, the program's by pmap, another package's, compiled before" \
	"$(count jax.add function) $(count 'jit(pmap)' function) $(count 'jit(check)' function) $(count 'jit(compiled)' function)" \
	"1 1 1 1"
expect "verdict, steps, state" "$(report known)" "jax io 40 active good"

train known -jax
expect "switched off: nothing is left behind" "$(recorded known)" 0
train names default
train type default
train allocation default
expect "unknown: nothing is recorded" "$(recorded names) $(recorded type) $(recorded allocation)" "0 0 0"
finish
