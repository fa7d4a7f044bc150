# SPDX-License-Identifier: MIT
# The linker's export list, from the rows of hooks.def: an anonymous version, so that one library
# stands in for the functions of every CUDA runtime and libc version.
$(BUILD)/exports.map: preload/hooks/exports.h $(wildcard preload/calls/*.def) \
		preload/cupti/observe.def $(wildcard preload/*/interposed.def) | setup
	$(say) MAP $@
	$(cmd)mkdir -p $(@D) && { echo '{ global:'; $(CC) -E -P -I. -x c preload/hooks/exports.h | \
		grep -o 'EXPORT *[A-Za-z0-9_]*' | sed 's/EXPORT */	/; s/$$/;/'; \
		echo 'local: *; };'; } >$@
