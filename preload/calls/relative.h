/* SPDX-License-Identifier: MIT */
/*
 * Tables of functions that hold distances instead of addresses. The loader relocates addresses one
 * by one at every start of every program, and each page with one of them becomes a page of the
 * process's own; of a table like this it knows nothing.
 *
 * C has no constant for a distance between two sections, so the table is written for the assembler,
 * at the top level of a file:
 *	__asm__(RELATIVE_BEGIN(table) RELATIVE(table, one) RELATIVE(table, other) RELATIVE_END);
 *	extern const int32_t table[] __attribute__((visibility("hidden")));
 * Entry 0 is none, functions count from 1. A function that nothing else refers to must be marked
 * as used.
 */
#ifndef PRELOAD_CALLS_RELATIVE_H
#define PRELOAD_CALLS_RELATIVE_H

#include <stddef.h>
#include <stdint.h>

/* clang-format off */
#define RELATIVE_BEGIN(table) \
	".pushsection .rodata." #table ", \"a\"\n.p2align 2\n" #table ":\n" RELATIVE_NONE
#define RELATIVE(table, function) ".long " #function " - " #table "\n"
#define RELATIVE_NONE             ".long 0\n"
#define RELATIVE_END              ".popsection\n"
/* clang-format on */

/* Entry id of a table, NULL for none. */
static inline void *relative_at(const int32_t *table, unsigned id)
{
	uintptr_t at = (uintptr_t)table + (uintptr_t)(intptr_t)table[id];
	return table[id] == 0 ? NULL : (void *)at;
}

#endif
