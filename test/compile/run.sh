#!/bin/bash
# What a compiler and the binary say: every header stands alone, rows of hooks.def have the vendor's
# signatures, the library exports exactly its table and needs nothing but libc, both assemblers are content.
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
library=${BUILD:-build}/libtrace.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict='-std=gnu17 -D_GNU_SOURCE -I. -DLIBTRACE_VERSION="0" -Wall -Wextra -Werror'

# Rows of hooks.def that are compared: "type|name|parameters" each.
rows() {
	printf '%s\n' '#define HOOK_ROW(l, type, name, params, args, capture, gate, flags) ROW flags|type|name|params' \
		'#include "preload/calls/hooks.def"' | gcc -E -P -I. -x c - | sed 's/ROW/\nROW/g' |
		sed -n 's/^ROW 0|\(.*\)$/\1/p'
}

check_headers() {
	local header
	for header in $(git ls-files 'preload/*.h' 'collector/*.h' 'analyzer/*.h' | grep -v preload/hooks/exports.h); do
		# shellcheck disable=SC2086
		if printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
			gcc $strict -fsyntax-only -x c - 2>"$work/err"; then
			ok "$header stands alone"
		else
			not_ok "$header: $(grep -m 1 error "$work/err")"
		fi
	done
}

check_signatures() { # include folder of a toolkit
	local version checked=0
	version=$(sed -n 's/^#define CUDART_VERSION  *\([0-9]*\).*/\1/p' "$1/cuda_runtime_api.h")
	echo '#include <cuda_runtime_api.h>' >"$work/rows.c"
	gcc -E -P -I"$1" "$work/rows.c" >"$work/vendor.i" 2>/dev/null || {
		skip "signatures of CUDA $version: its header does not compile alone"
		return
	}
	while IFS='|' read -r type name params; do
		grep -q "[^a-zA-Z_]$name *(" "$work/vendor.i" || continue
		echo "$type (*check_$name) $params = $name;" >>"$work/rows.c"
		checked=$((checked + 1))
	done < <(rows)
	if [ "$checked" -gt 70 ] && gcc -Werror -Wno-deprecated-declarations -I"$1" -c -o "$work/rows.o" "$work/rows.c" 2>"$work/err"; then
		ok "$checked signatures of CUDA $version"
	else
		not_ok "signatures of CUDA $version ($checked rows): $(grep -m 3 error "$work/err")"
	fi
	# The check must be able to fail.
	echo 'int (*wrong)(int) = cudaMalloc;' >>"$work/rows.c"
	if gcc -Werror -Wno-deprecated-declarations -I"$1" -c -o "$work/rows.o" "$work/rows.c" 2>/dev/null; then
		not_ok "a wrong signature compiles against CUDA $version"
	else
		ok "a wrong signature does not compile against CUDA $version"
	fi
}

# The same for the driver: its header has the true names and all forms when it is told to.
check_driver_signatures() { # include folder of a toolkit
	local version checked=0
	version=$(sed -n 's/^#define CUDA_VERSION  *\([0-9]*\).*/\1/p' "$1/cuda.h")
	echo '#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>' >"$work/rows.c"
	gcc -E -P -I"$1" "$work/rows.c" >"$work/vendor.i" 2>/dev/null || {
		skip "driver signatures of CUDA $version: its header does not compile alone"
		return
	}
	while IFS='|' read -r type name params; do
		grep -q "[^a-zA-Z_]$name *(" "$work/vendor.i" || continue
		echo "$type (*check_$name) $params = $name;" >>"$work/rows.c"
		checked=$((checked + 1))
	done < <(printf '%s\n' '#define HOOK_ROW(l, type, name, params, args, capture, gate, flags) ROW flags|type|name|params' \
		'#include "preload/calls/hooks.def"' | gcc -E -P -I. -x c - | sed 's/ROW/\nROW/g' |
		sed -n 's/^ROW HOOK_DRIVER[A-Z_ |]*|\(CUresult|.*\)$/\1/p')
	if [ "$checked" -gt 100 ] && gcc -Werror -Wno-deprecated-declarations -I"$1" -c -o "$work/rows.o" "$work/rows.c" 2>"$work/err"; then
		ok "$checked driver signatures of CUDA $version"
	else
		not_ok "driver signatures of CUDA $version ($checked rows): $(grep -m 3 error "$work/err")"
	fi
}

# The same for NCCL, whose header needs CUDA's.
check_nccl_signatures() { # include folder of NCCL, of a toolkit
	local version checked=0
	version=$(sed -n 's/^#define NCCL_\(MAJOR\|MINOR\) *\([0-9]*\).*/\2/p' "$1/nccl.h" | paste -s -d .)
	echo '#include <nccl.h>' >"$work/rows.c"
	gcc -E -P -I"$1" -I"$2" "$work/rows.c" >"$work/vendor.i" 2>/dev/null || {
		skip "signatures of NCCL $version: its header does not compile alone"
		return
	}
	while IFS='|' read -r name params; do
		grep -q "[^a-zA-Z_]$name *(" "$work/vendor.i" || continue
		echo "ncclResult_t (*check_$name) $params = $name;" >>"$work/rows.c"
		checked=$((checked + 1))
	done < <(printf '%s\n' '#include "preload/calls/row.h"' '#define ROW_OF(name, params) ROW name|params' \
		'#define FUNCTION(params, before, after, name) ROW_OF(name, ROW_PARAMETERS(params))' \
		'#include "preload/nccl/interposed.def"' | gcc -E -P -I. -x c - | sed 's/ROW/\nROW/g' | sed -n 's/^ROW //p')
	if [ "$checked" -gt 15 ] && gcc -Werror -I"$1" -I"$2" -c -o "$work/rows.o" "$work/rows.c" 2>"$work/err"; then
		ok "$checked signatures of NCCL $version"
	else
		not_ok "signatures of NCCL $version ($checked rows): $(grep -m 3 error "$work/err")"
	fi
}

# Names and numbers of tables_error.def; names that older versions lack are passed over, none may differ.
check_errors() { # include folder of a toolkit
	local version checked
	version=$(sed -n 's/^#define CUDA_VERSION  *\([0-9]*\).*/\1/p' "$1/cuda.h")
	errors() { # number name, of both sides
		printf '%s\n' '#define CUDA_ERROR(number, driver, runtime) ROW number driver runtime' \
			'#include "analyzer/names/error.def"' | gcc -E -P -I. -x c - | tr -d '"' |
			awk '$1 == "ROW" { for (i = 3; i <= 4; i++) if ($i != "NULL") print $2, $i }'
	}
	printf '%s\n' '#include <cuda.h>' '#include <driver_types.h>' >"$work/errors.c"
	gcc -E -P -D__device_builtin__= -I"$1" "$work/errors.c" >"$work/vendor.i" 2>/dev/null || {
		skip "error names of CUDA $version: its headers do not compile alone"
		return
	}
	while read -r number name; do
		grep -qw "$name" "$work/vendor.i" || continue
		echo "_Static_assert($name == $number, \"$name\");" >>"$work/errors.c"
	done < <(errors)
	checked=$(grep -c Static_assert "$work/errors.c")
	errors | sed 's/.* //' | sort -u >"$work/ours"
	grep -oE '\b(CUDA_ERROR_[A-Z0-9_]+|cudaError[A-Z][A-Za-z0-9]+) *= *[0-9]' "$work/vendor.i" |
		sed 's/ *=.*//' | sort -u >"$work/theirs"
	if [ "$checked" -gt 200 ] && gcc -D__device_builtin__= -I"$1" -c -o "$work/errors.o" "$work/errors.c" 2>"$work/err"; then
		ok "$checked error names of CUDA $version"
	else
		not_ok "error names of CUDA $version ($checked): $(grep -m 3 error "$work/err")"
	fi
	if [ "$version" -gt 13000 ] || [ -z "$(comm -13 "$work/ours" "$work/theirs")" ]; then
		ok "every error of CUDA $version has a name"
	else
		not_ok "errors of CUDA $version without a name: $(comm -13 "$work/ours" "$work/theirs" | head -n 3 | tr '\n' ' ')"
	fi
}

check_binary() {
	gcc -E -P -I. -x c preload/hooks/exports.h | grep -o 'EXPORT *[A-Za-z0-9_]*' | sed 's/EXPORT *//' | sort >"$work/table"
	nm -D --defined-only "$library" | awk '{ print $3 }' | sort >"$work/exported"
	if [ -s "$work/table" ] && cmp -s "$work/table" "$work/exported"; then
		ok "$(wc -l <"$work/table") exported symbols are those of the table"
	else
		not_ok "exports differ: $(diff "$work/table" "$work/exported" | head -n 5 | tr '\n' ' ')"
	fi
	local needed
	needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^ld-linux' | tr '\n' ' ')
	if [ "$needed" = 'libc.so.6 ' ]; then ok 'needs libc only'; else not_ok "needs $needed"; fi
	if nm -D "$library" | grep -E '@@?(lib|CUDA)'; then
		not_ok 'symbols have version nodes of their own'
	else
		ok 'symbols have no version of their own'
	fi
	local tls
	tls=$((16#$(readelf -lW "$library" | awk '$1 == "TLS" { print substr($6, 3) }')))
	if [ "$tls" -le 512 ]; then ok "$tls bytes of static thread storage"; else not_ok "$tls bytes of static thread storage"; fi
}

# What runs before the program's libraries work; and the check must be able to fail.
check_early() {
	local said
	said=$(scripts/check_early.py "${BUILD:-build}/shim" 2>&1)
	if [ -z "$said" ]; then ok 'nothing of libc is called too early'; else not_ok "too early: $(head -n 3 <<<"$said")"; fi
	said=$(nm -D --undefined-only "$library" | awk '$2 ~ /^(mem|str(n?len|n?cmp|r?chr|str|c?spn|pbrk)@)/ { print $2 }' | xargs)
	if [ -z "$said" ]; then ok 'memcpy and its kin are our own'; else not_ok "of libc: $said"; fi
	mkdir "$work/early"
	printf '%s\n' '#include "preload/thread/late.h"' 'int puts(const char *), more(int), table[9];' \
		'LATE int later(void) { return puts("a"); }' \
		'static __attribute__((noinline)) int below(int a) { return later() + more(a) + table[a]; }' \
		'int dlopen(int a) { return below(a); }' 'void dlsym(void) {}' 'void construct(void) {}' \
		'void real_resolve_libc(void) {}' 'void first_syscall(void) {}' 'void __asan_default_options(void) {}' \
		>"$work/early.c"
	early() { # more of the source, what is said
		{ cat "$work/early.c" && echo "$1"; } | gcc -w -O1 -fPIC -ffunction-sections -I. -x c -c -o "$work/early/a.o" - || return
		said=$(scripts/check_early.py "$work/early" | sed 's/:.*//' | xargs)
		if [ "$said" = "$2" ]; then ok "a walk that finds '$2'"; else not_ok "the walk finds '$said', not '$2'"; fi
	}
	early 'int more(int a) { return a; }' ''
	early 'int more(int a) { return puts("b"); }' 'dlopen > below > more > puts'
	early '' 'dlopen > below > more'
}

check_assembler() {
	# shellcheck disable=SC2086
	if gcc $strict -O2 -fPIC -DHOOKS_PORTABLE -c -o "$work/hooks.o" preload/hooks/hooks.c 2>"$work/err"; then
		ok 'hooks.c compiles without entries in assembly'
	else
		not_ok "hooks.c without entries in assembly: $(grep -m 1 error "$work/err")"
	fi
	if aarch64-linux-gnu-gcc -c -o "$work/a.o" preload/loader/loader_aarch64.S 2>/dev/null; then
		ok 'loader_aarch64.S assembles'
	elif clang --target=aarch64-linux-gnu -c -o "$work/a.o" preload/loader/loader_aarch64.S 2>"$work/err"; then
		ok 'loader_aarch64.S assembles (clang)'
	elif clang --version >/dev/null 2>&1; then
		not_ok "loader_aarch64.S: $(head -n 1 "$work/err")"
	else
		skip 'loader_aarch64.S: no assembler for aarch64'
	fi
}

# Both files of assembly for aarch64 do what they are for, on a processor that is emulated.
check_emulated() {
	local python said
	for python in python3 /usr/bin/python3 ''; do
		[ -n "$python" ] && "$python" -c 'import unicorn' 2>/dev/null && break
	done
	if [ -z "$python" ] || ! command -v aarch64-linux-gnu-as >/dev/null; then
		skip 'aarch64: no assembler, or no emulator (binutils-aarch64-linux-gnu, python3-unicorn)'
		return
	fi
	said=$("$python" test/compile/aarch64.py "$work" 2>&1)
	if grep -qE '^[1-9][0-9]* passed, 0 failed$' <<<"$said"; then
		ok "aarch64: stubs and loader on an emulated processor ($said)"
	else
		not_ok "aarch64: $(tail -n 5 <<<"$said" | tr '\n' ' ')"
	fi
}

check_headers
found=0
for folder in ${CUDA_HOME:+"$CUDA_HOME/include"} /usr/local/cuda*/include; do
	[ -f "$folder/cuda_runtime_api.h" ] || continue
	[ "$(readlink -f "$folder")" != "${last:-}" ] || continue
	last=$(readlink -f "$folder")
	found=1
	check_signatures "$folder"
	[ ! -f "$folder/cuda.h" ] || check_driver_signatures "$folder"
	[ ! -f "$folder/cuda.h" ] || check_errors "$folder"
done
for folder in ${NCCL_HOME:+"$NCCL_HOME/include"} /usr/include /usr/local/include ${last:+"$last"}; do
	[ ! -f "$folder/nccl.h" ] || [ -z "${last:-}" ] || check_nccl_signatures "$folder" "$last"
done
[ $found = 1 ] || skip 'signatures: no CUDA toolkit here'
check_binary
check_early
check_assembler
check_emulated
finish
