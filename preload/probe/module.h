/* SPDX-License-Identifier: MIT */
/*
 * One loaded program or library as the dynamic linker sees it: the functions that it defines for
 * others, and the slots through which it calls others'. Reads the loaded tables alone; valid as
 * long as the module is loaded, so only inside dl_iterate_phdr(). No allocation.
 */
#ifndef PRELOAD_PROBE_MODULE_H
#define PRELOAD_PROBE_MODULE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/probe/slots.h"

struct module {
	uintptr_t base, begin, end; /* of its memory */
	struct slots_relro relro;
	const char *path; /* empty: the program */
	const char *file; /* its last part */
	const ElfW(Sym) * symbols;
	const char *texts;
	uint32_t symbol_count;
	const ElfW(Rela) * calls, *others; /* relocations */
	size_t call_count, other_count;
};

/* False: it has no symbols. */
bool module_read(const struct dl_phdr_info *info, struct module *ret_module);

/* Each function that others may call. */
typedef void module_function(void *context, const char *symbol, const void *address);
void module_each_function(const struct module *module, module_function *tell, void *context);

/* Each slot that holds the address of a function, or will. */
typedef void module_slot(void *context, const char *symbol, uintptr_t *slot);
void module_each_slot(const struct module *module, module_slot *tell, void *context);

#endif
