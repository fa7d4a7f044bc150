#!/bin/bash
# Compares what is written down of CUPTI's interface with the vendor's own headers, release by release: offsets
# and types of the collector's record table, numbers of kinds, and the stand-in's versions, record sizes and
# numbers of functions. The headers come from the packages of cupti_packages.txt, once, and are kept in
# the cache of test/cudasim/wheel/fetch.py; nothing else of the packages is. A package that cannot be had
# is skipped.
set -u
cd "$(dirname "$0")/../.." || exit 1
. test/tally.sh
packages=test/compile/cupti_packages.txt
cache=$(python3 test/cudasim/wheel/fetch.py --cache)/cupti
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
offline=

# Keeps the headers of a wheel that are needed, and their folders.
read -r -d '' extract <<'PYTHON'
import pathlib, sys, zipfile
wheel, folder = zipfile.ZipFile(sys.argv[1]), pathlib.Path(sys.argv[2])
for name in wheel.namelist():
    path = name.partition("/include/")[2]
    if path.startswith(("cupti_", "cuda_stdint.h", "cuda.h", "Openacc/", "Openmp/")) and path.endswith(".h"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(wheel.read(name))
PYTHON

# Headers of one line of the list, in $cache/NAME==VERSION. Returns 1 if they cannot be had.
fetch() { # line
	local name=${1%% *} platform room="$work/wheel" pip
	[ ! -d "$cache/$name" ] || return 0
	[ -z "$offline" ] || return 1
	mkdir -p "$cache" && rm -rf "$room" && mkdir "$room" || return 1
	pip=(python3 -m pip download --quiet --no-deps --require-hashes --only-binary=:all: --no-cache-dir
		--disable-pip-version-check --retries 1 --timeout 20 -d "$room" -r "$work/line")
	# The headers are the same for every processor, the pinned hashes those of one.
	for platform in manylinux1 manylinux2014 manylinux_2_25; do pip+=(--platform "${platform}_x86_64"); done
	echo "$1" >"$work/line"
	if ! timeout 120 "${pip[@]}" 2>"$work/err"; then
		grep -q 'MATCH THE HASHES' "$work/err" && not_ok "$name: not the package that is pinned"
		offline="not downloadable: $(grep -m 1 '^ERROR' "$work/err" | cut -c 1-80)"
		return 1
	fi
	local part
	part=$(mktemp -d "$cache/part.XXXXXX") || return 1
	if python3 -c "$extract" "$room"/*.whl "$part" && mv -T "$part" "$cache/$name" 2>/dev/null; then
		chmod 755 "$cache/$name"
	else
		rm -rf "$part" # of another run that was faster, or damaged
	fi
	[ -d "$cache/$name" ]
}

# Rows of a table as "MACRO|column|..." lines.
rows() { # table macro...
	local table=$1 macro
	shift
	for macro in "$@"; do echo "#define $macro(...) ROW $macro, __VA_ARGS__ END"; done >"$work/rows.c"
	echo "#include \"$table\"" >>"$work/rows.c"
	gcc -std=c17 -E -P -I. "$work/rows.c" | tr '\n' ' ' | sed 's/ROW */\n/g' |
		sed -n 's/ *END.*//; s/ *, */|/g; s/"//g; /|/p' | awk 1
}

# Turns rows into checks, one line each: KIND|where|enumerator|number, FIELD|where|struct|field|offset|bytes,
# SIZE|where|struct|bytes, VALUE|where|expression|number. The struct of a record is its newest.
plan() { # headers version release
	grep -ho '} *CUpti_Activity[A-Za-z]*[0-9]*;' "$1"/cupti_activity*.h | tr -d '} ;' >"$work/structs"
	awk -F'|' -v OFS='|' -v version="$2" -v release="$3" '
		function newest(name, base, best, i, number) {
			base = "CUpti_Activity" name
			best = -1
			for (i in structs) {
				number = substr(i, length(base) + 1)
				if (index(i, base) == 1 && number ~ /^[0-9]*$/ && number + 0 > best)
					best = number + 0
			}
			return best < 0 ? base "_none" : base (best ? best : "")
		}
		BEGIN {
			split("U8 1 U16 2 U32 4 U64 8 TEXT 8", pairs, " ")
			for (i = 1; i < 10; i += 2)
				bytes[pairs[i]] = pairs[i + 1]
			renamed["KERNEL"] = "CONCURRENT_KERNEL"
			renamed["API"] = "RUNTIME"
		}
		NR == FNR { structs[$1] = 1; next }
		$1 == "CUPTI_RECORD" {
			record[$2] = newest($4)
			print "KIND", $2, "CUPTI_ACTIVITY_KIND_" ($2 in renamed ? renamed[$2] : $2), $3
		}
		$1 == "CUPTI_FIELD" && $6 <= version {
			print "FIELD", $2 "." $3, record[$2], $3, $4, bytes[$5], $5 == "TEXT"
		}
		$1 == "CUPTI_RELEASE" { order[$2] = NR }
		$1 == "CUPTI_RELEASE" && $2 == release { print "VALUE", "version", "CUPTI_API_VERSION", $3 }
		$1 == "CUPTI_SIZE" && order[$4] <= order[release] { size[$2] = $5; struct[$2] = $3 }
		END {
			for (i in size) {
				print "KIND", i, "CUPTI_ACTIVITY_KIND_" i, ""
				print "SIZE", "size of " i, newest(struct[i]), size[i]
			}
		}' "$work/structs" -
}

# Functions of the stand-in, and those that the collector names.
function_rows() {
	rows test/cudasim/cupti/cbid.def RUNTIME_ID DRIVER_ID
	[ ! -f collector/gpu/calls.def ] || rows collector/gpu/calls.def GPU_CALL
}

# Numbers of functions, of those that this release has.
plan_functions() { # headers; rows on stdin
	cat "$1"/cupti_runtime_cbid.h "$1"/cupti_driver_cbid.h | grep -o 'CUPTI_[A-Z]*_TRACE_CBID_[A-Za-z0-9_]*' >"$work/cbids"
	awk -F'|' -v OFS='|' 'NR == FNR { known[$1] = 1; next }
		$1 == "GPU_CALL" { number = $3; where = $4; name = "CUPTI_" $2 "_TRACE_CBID_" $4 }
		$1 != "GPU_CALL" {
			number = $2
			where = $3
			name = "CUPTI_" ($1 == "RUNTIME_ID" ? "RUNTIME" : "DRIVER") "_TRACE_CBID_" $3 ($4 ? "_v" $4 : "")
		}
		name in known { print "VALUE", where, name, number }' "$work/cbids" -
}

# Prints a line for each check that does not hold, then "N checked".
compare() { # headers; checks on stdin
	local cc=(gcc -std=gnu17 -w "-I$1" "-I$work/include") missing
	local head='#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <cupti_version.h>
#include <stdio.h>
#include <stddef.h>'
	cat >"$work/plan"
	# What is not there at all: each check is a file of its own to the compiler, which names it.
	{
		echo "$head"
		awk -F'|' '{ print "# 1 \"" $2 "\"" }
			$1 == "KIND" || $1 == "VALUE" { print "long v" NR " = " $3 ";" }
			$1 == "SIZE" { print $3 " v" NR ";" }
			$1 == "FIELD" { print "__typeof__(((" $3 " *)0)->" $4 ") v" NR ";" }' "$work/plan"
	} >"$work/there.c"
	"${cc[@]}" -fmax-errors=0 -fsyntax-only "$work/there.c" 2>"$work/err"
	missing=$(sed -n 's/^\([^:]*\):1:[0-9]*: error:.*/\1/p' "$work/err" | sort -u)
	[ -n "$missing" ] || ! grep -q 'error:' "$work/err" || missing='headers: do not compile'
	{
		echo "$head"
		echo '#define SEE(what, expected, found) \
	((long)(expected) != (long)(found) ? printf("%s %ld expected, %ld found\n", what, (long)(expected), (long)(found)) : 0)'
		echo '#define POINTER_CLASS __builtin_classify_type((void *)0)'
		echo 'int main(void) {'
		awk -F'|' -v missing="$missing" 'BEGIN {
				count = split(missing, list, "\n")
				for (i = 1; i <= count; i++)
					gone[list[i]] = 1
			}
			$2 in gone { next }
			$1 == "KIND" && $4 != "" { print "SEE(\"" $2 ": kind\", " $4 ", " $3 ");" }
			$1 == "VALUE" { print "SEE(\"" $2 ": number\", " $4 ", " $3 ");" }
			$1 == "SIZE" { print "SEE(\"" $2 ":\", " $4 ", sizeof(" $3 "));" }
			$1 == "FIELD" {
				print "SEE(\"" $2 ": offset\", " $5 ", offsetof(" $3 ", " $4 "));"
				print "SEE(\"" $2 ": width\", " $6 ", sizeof(((" $3 " *)0)->" $4 "));"
				if ($7)
					print "SEE(\"" $2 ": class\", POINTER_CLASS, __builtin_classify_type(((" $3 " *)0)->" $4 "));"
			}' "$work/plan"
		echo 'return 0; }'
	} >"$work/compare.c"
	[ -z "$missing" ] || sed 's/$/: not in the header/' <<<"$missing"
	if "${cc[@]}" -o "$work/compare" "$work/compare.c" 2>"$work/err"; then
		"$work/compare"
	else
		echo "the comparison does not compile: $(grep -m 1 error "$work/err")"
	fi
	echo "$(wc -l <"$work/plan") checked"
}

# One ok per release and table, or one failure per thing that differs.
judge() { # release what at_least; output of compare on stdin
	local line wrong=0 count=0
	while read -r line; do
		case $line in
		*' checked') count=${line%% *} ;;
		*) not_ok "$2, $1: $line" && wrong=1 ;;
		esac
	done
	if [ "$count" -lt "$3" ]; then
		not_ok "$2, $1: only $count rows compared"
	elif [ $wrong = 0 ]; then
		ok "$2, $1: $count rows"
	fi
}

check_release() { # headers package
	local release version
	release=$(sed 's/.*==\([0-9]*\.[0-9]*\).*/\1/' <<<"$2")
	version=$(sed -n 's/^#define CUPTI_API_VERSION  *\([0-9]*\).*/\1/p' "$1"/cupti_*.h)
	rows collector/gpu/cupti.def CUPTI_RECORD CUPTI_FIELD | plan "$1" "$version" "$release" | compare "$1" >"$work/out"
	judge "$2" 'record table' 80 <"$work/out"
	rows test/cudasim/cupti/releases.def CUPTI_RELEASE CUPTI_SIZE | plan "$1" "$version" "$release" | compare "$1" >"$work/out"
	grep -q '^VALUE' "$work/plan" || not_ok "stand-in, $2: no such release in its table"
	judge "$2" 'stand-in' 25 <"$work/out"
	function_rows | plan_functions "$1" | compare "$1" >"$work/out"
	judge "$2" 'functions' 300 <"$work/out"
	awk -F'|' '{ print $2 }' "$work/plan" >>"$work/known"
	rows test/cudasim/cupti/result.def CUPTI_RESULT | grep -F -w -f <(grep -o 'CUPTI_[A-Z_0-9]*' "$1/cupti_result.h") |
		awk -F'|' '{ print "VALUE|" $3 "|" $3 "|" $2 }' | compare "$1" >"$work/out"
	judge "$2" 'results' 40 <"$work/out"
}

# A function that no release has would never have been compared.
check_functions() {
	local unknown
	unknown=$(function_rows | awk -F'|' '{ print $1 == "GPU_CALL" ? $4 : $3 }' | sort -u |
		comm -23 - <(sort -u "$work/known") | tr '\n' ' ')
	if [ -z "$unknown" ]; then ok 'every function is in a header'; else not_ok "functions in no header: $unknown"; fi
}

# A table with one wrong row must be noticed, by name and by nothing else.
check_notices() { # headers old new expected-line
	sed "s/$2/$3/" collector/gpu/cupti.def >"$work/wrong.def"
	cmp -s collector/gpu/cupti.def "$work/wrong.def" && not_ok "no row '$2' to make wrong" && return
	rows "$work/wrong.def" CUPTI_RECORD CUPTI_FIELD | plan "$1" 999999 "" | compare "$1" | grep -v checked >"$work/out"
	if [ "$(cat "$work/out")" = "$4" ]; then
		ok "noticed: $4"
	else
		not_ok "'$4' was to be noticed, not: $(head -n 3 "$work/out" | tr '\n' ' ')"
	fi
}

mapfile -t lines < <(grep -v '^#' "$packages")
if ! fetch "${lines[0]}"; then
	skip "CUPTI's records: no headers (${offline})"
	finish
fi
mkdir "$work/include" && : >"$work/include/builtin_types.h" # asked for, but none of its types is used
cp "$cache/${lines[0]%% *}/cuda.h" "$work/include/"
for line in "${lines[@]:1}"; do
	name=${line%% *}
	if ! fetch "$line"; then
		skip "$name: no headers (${offline:-the package cannot be unpacked})"
		continue
	fi
	newest=$name
	check_release "$cache/$name" "$name"
done
if [ -n "${newest:-}" ]; then
	[ "$newest" != "${lines[-1]%% *}" ] || check_functions
	check_notices "$cache/$newest" '(KERNEL, start,  *16,' '(KERNEL, start, 24,' \
		'KERNEL.start: offset 24 expected, 16 found'
	check_notices "$cache/$newest" '(KERNEL, deviceId,  *40, U32' '(KERNEL, deviceId, 40, U64' \
		'KERNEL.deviceId: width 8 expected, 4 found'
	check_notices "$cache/$newest" '(MEMSET, value,' '(MEMSET, worth,' 'MEMSET.worth: not in the header'
	check_notices "$cache/$newest" '(KERNEL, 10,' '(KERNEL, 3,' 'KERNEL: kind 3 expected, 10 found'
fi
finish
