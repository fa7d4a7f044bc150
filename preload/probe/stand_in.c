/* SPDX-License-Identifier: MIT */
#include "preload/probe/stand_in.h"

#include <string.h>

#include "preload/linker/linker.h"
#include "preload/probe/module.h"

struct search {
	const char *path, *symbol;
	const struct module *module;
	uintptr_t ours;
	bool found, written;
};

static void look_at_slot(void *context, const char *symbol, uintptr_t *slot)
{
	struct search *search = context;
	if (strcmp(symbol, search->symbol) != 0)
		return;
	search->found = true;
	search->written |= slots_write(slot, search->ours, &search->module->relro);
}

static int look_at_library(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	struct module module;
	(void)size;
	if (info->dlpi_name == NULL || strcmp(info->dlpi_name, search->path) != 0 ||
		!module_read(info, &module))
		return 0;
	search->module = &module;
	slots_restart();
	module_each_slot(&module, look_at_slot, search);
	search->module = NULL;
	return 1;
}

const char *stand_in(const char *path, const char *symbol, uintptr_t ours)
{
	struct search search = {.path = path, .symbol = symbol, .ours = ours};
	(void)linker_each(look_at_library, &search);
	if (!search.found)
		return "the library makes its types in an unknown way";
	return search.written ? NULL : "the library's memory cannot be written";
}
