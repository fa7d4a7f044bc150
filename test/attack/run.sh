#!/bin/bash
# Attack the library and the analyzer and print a table of what held (docs/attack.md says what each is).
# usage: test/attack/run.sh [--short] [--seed N] [--jobs N] [--seconds N] [ATTACK...]
# --short: the part that CI has; else it takes hours, and the analyzer is built with sanitizers as well.
# --seconds: of each attack as many tries, chosen by chance, as are begun in that time.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(readlink -f "${BUILD:-build}")
make --no-print-directory -s BUILD="${BUILD:-build}" all || exit 1
mkdir -p "$build/attack"
work=$(mktemp -d "${TMPDIR:-/tmp}/libtrace-attack-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD "${!LIBTRACE_@}"

compile() { gcc -std=gnu17 -D_GNU_SOURCE -O1 -g -Wall -Wextra -I. "$@" || exit 4; }
compile -shared -fPIC -Wl,-soname,libcudart_attack.so -o "$build/attack/libcudart_attack.so" test/attack/runtime.c
compile -o "$build/attack/calls" test/attack/calls.c test/attack/acts.c test/attack/strange.c test/attack/unusual.c test/attack/rare.c test/attack/sealed.c -L"$build/attack" -lcudart_attack -Wl,-rpath,"$build/attack" -lpthread -lm
compile -DLIBRARY -shared -fPIC -o "$build/attack/libplugin.so" test/attack/bound.c -L"$build/attack" -lcudart_attack -Wl,-rpath,"$build/attack"
# one that cannot be loaded: what it needs is not there
echo | compile -shared -fPIC -o "$build/attack/libgone.so" -x c - &&
	echo | compile -shared -fPIC -o "$build/attack/libhalf.so" -x c - -x none -Wl,--no-as-needed "$build/attack/libplugin.so" "$build/attack/libgone.so" &&
	rm "$build/attack/libgone.so"
compile -shared -fPIC -fno-builtin -o "$build/attack/alloc.so" test/attack/alloc.c
echo 'unsigned la_version(unsigned version); unsigned la_version(unsigned version) { return version; }' |
	compile -shared -fPIC -o "$build/attack/audit.so" -x c -
mkdir -p "$build/attack/runtime"
compile -shared -fPIC -Wl,-soname,libcudart.so.12 -o "$build/attack/runtime/libcudart.so.12" test/attack/runtime.c
compile -DLIBRARY -shared -fPIC -o "$build/attack/libbound.so" test/attack/bound.c "$build/attack/runtime/libcudart.so.12"
compile -o "$build/attack/bound" test/attack/bound.c
compile -DWRAP_DLSYM -shared -fPIC -o "$build/attack/libdlsym.so" test/run/hooks/wrapper.c
for program in inject refuse; do
	compile -o "$build/attack/$program" "test/attack/$program.c"
done
case " $* " in
*' --short '* | *' --list '*) ;;
*)
	make -s -C test/cudasim BUILD="$build/cudasim" programs &&
		compile -DCUDART_MAJOR=13 -o "$build/attack/hostile" test/run/harmless/hostile.c -L"$build/cudasim/13" -lcudart -lcuda \
			-lpthread -ldl || exit 4
	make --no-print-directory -s -j2 BUILD="$build/attack/asan" CFLAGS='-O1 -g' \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' \
		"$build/attack/asan/trace-analyzer" || exit 1
	;;
esac
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 test/attack/attack.py "$build" "$work" "$@"
