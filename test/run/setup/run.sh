#!/bin/bash
# The first minutes with the tree: a folder with a space in its name, a machine where packages are still to
# be installed, a home that cannot be written.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. test/tally.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect() { # name, what is expected, what there is
	if [ "$3" = "$2" ]; then ok "$1"; else not_ok "$1: '$3' instead of '$2'"; fi
}

copy_tree() { # folder
	mkdir -p "$1" && git ls-files -z | xargs -0 cp --parents -t "$1" 2>/dev/null
}

test_space() {
	local tree="$work/a b/libtrace" said
	copy_tree "$tree" && cd "$tree" || exit 1
	make -j2 CFLAGS=-O0 >"$work/log" 2>&1
	expect 'a path with a space: make' 0 $?
	make -s -j2 -C test/cudasim CFLAGS=-O0 programs >"$work/log" 2>&1
	CUDASIM_TORCH=none test/cudasim/run env LD_PRELOAD=build/libtrace.so LIBTRACE_LOG=quiet LIBTRACE_OUT=out \
		build/cudasim/13/train_loop sync_bound 60 >"$work/log" 2>&1
	expect 'a path with a space: the simulated device' 0 $?
	said=$(build/trace-analyzer report --format json out | grep -c '"rule": "sync-scalar-read"')
	expect 'a path with a space: the report' 1 "$said"
	said=$(test/check.sh unit | tail -n 2)
	expect 'a path with a space: the tests say what to do' "check: LD_PRELOAD cannot hold \
'$tree/build/libtrace.so': move the tree to a path without space and colon
0 passed, 1 failed" "$said"
	said=$(make -C test/cudasim BUILD="$work/a b/cudasim" 2>&1 | grep -c 'name a folder without a space in BUILD')
	expect 'a path with a space: a build folder beside the tree' 0 "$said" # no space on the way there
	said=$(make -C test/cudasim BUILD='/tmp/c d/cudasim' 2>&1 | grep -c 'name a folder without a space in BUILD')
	expect 'a build folder with a space elsewhere is refused' 1 "$said"
	cd "$OLDPWD" || exit 1
}

# A compiler that makes nothing, and fails before setup is through.
test_waiting() {
	local tree="$work/tree" target
	copy_tree "$tree" && cd "$tree" || exit 1
	printf '#!/bin/sh\nsleep 1\ntouch "%s/ready"\n' "$work" >scripts/setup.sh
	cat >"$work/cc" <<-END
		#!/bin/sh
		[ -e "$work/ready" ] || { echo "compiled before setup was through: \$*" >&2; exit 1; }
		while [ \$# -gt 0 ]; do [ "\$1" != -o ] || { touch "\$2"; exit; }; shift; done
		echo EXPORT cudaLaunchKernel
	END
	chmod +x "$work/cc"
	for target in all units build/libunits.a build/libcollector.a; do
		rm -rf build "$work/ready"
		make -j8 CC="$work/cc" $target >"$work/log" 2>&1
		expect "make -j8 $target waits for packages" 0 $?
		! grep -q 'before setup' "$work/log" || grep -m 1 'before setup' "$work/log"
	done
	cd "$OLDPWD" || exit 1
}

test_home() {
	local cache said
	for home in HOME=/dev/null XDG_CACHE_HOME=/dev/null; do
		cache=$(env -u XDG_CACHE_HOME "$home" TMPDIR="$work" python3 test/cudasim/wheel/fetch.py --cache 2>"$work/log")
		expect "$home: downloads are kept elsewhere" "$work/libtrace-cache-$(id -u)" "$cache"
		said=$(grep -c "^cudasim: .* cannot be written; what is downloaded is kept in $cache$" "$work/log")
		expect "$home: and it is said where" 1 "$said"
	done
	cache=$(env -u HOME XDG_CACHE_HOME="$work/cache" python3 test/cudasim/wheel/fetch.py --cache 2>&1)
	expect 'no home, but a cache' "$work/cache/libtrace" "$cache"
}

test_space
test_waiting
test_home
finish
