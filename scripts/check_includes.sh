#!/bin/bash
# Who may include what: base -> libc; format -> base; collector -> format, base; preload ->
# collector/collector.h, describe.h, gpu.h and symbols.h, format, base; analyzer -> format, base. And one
# third-party library has one file. Prints one line per violation.
set -u
cd "$(dirname "$0")/.." || exit 1

check() { # folder, pattern of what its files may include from the project
	local folder=$1 allowed=$2
	for file in $(git ls-files "$folder" | grep '\.[chS]$'); do
		grep -nE '^#include "' "$file" | grep -vE "^[0-9]+:#include \"($allowed)" |
			sed "s|^|$file:|; s|\$| (not allowed here)|"
	done
}
check 'collector/base/*' 'collector/base/'
check 'collector/format/*' 'collector/(base|format)/'
for file in $(git ls-files 'collector/*.[ch]' | grep -v '/.*/'); do
	grep -nE '^#include "' "$file" | grep -vE ':#include "collector/' | sed "s|^|$file:|"
done
check 'preload/*' '(preload/|collector/(base|format)/|collector/(collector|describe|gpu|symbols)\.h)'
check 'analyzer/*' '(analyzer/|collector/(base|format)/)'

only() { # header pattern, files that may include it
	git ls-files 'preload/*.[ch]' 'collector/*.[ch]' 'analyzer/*.[ch]' | grep -vE "$2" |
		xargs grep -nE "^#include <($1)" /dev/null
}
only 'zstd' '^collector/format/frame\.c$'
only 'msgpack' '^collector/format/'
only '(libelf|gelf|elfutils)' '^collector/symbols[a-z_]*\.c$'
exit 0
