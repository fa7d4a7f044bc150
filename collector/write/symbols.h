/* SPDX-License-Identifier: MIT */
/*
 * An address of this process becomes module, offset, build id and function.
 *
 * The module comes from /proc/self/maps, which takes no lock of the dynamic loader; its
 * symbols are read from the file through libelf, which is opened at the first use and need
 * not be there: then there is a module and an offset but no function. Names are as in
 * the symbol table, not demangled.
 *
 * Slow (milliseconds for a large library) and not thread-safe: for the drain thread only,
 * once per address. A library that was unloaded before its address is resolved is not
 * found, or is taken for what lies there now.
 */
#ifndef COLLECTOR_WRITE_SYMBOLS_H
#define COLLECTOR_WRITE_SYMBOLS_H

#include <limits.h>
#include <stdint.h>

#define SYMBOLS_FUNCTION_BYTES 512u

struct symbols_place {
	char module[PATH_MAX];
	uint64_t offset;   /* address in the module as its file numbers them, for addr2line */
	char build_id[41]; /* hexadecimal, empty: none */
	char function[SYMBOLS_FUNCTION_BYTES]; /* empty: not known; cut when longer */
};

/*
 * Resolve the instruction that a call returns to: the function is that of the byte before it. 0;
 * -ERR_UNKNOWN_NAME when no file is mapped there, *ret_place is then untouched; or -errno.
 */
int symbols_resolve(uint64_t address, struct symbols_place *ret_place);

#endif
