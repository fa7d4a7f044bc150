/* SPDX-License-Identifier: MIT */
#include "preload/linker/initial.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/own/loading.h"

/* How many there are. They stay first in the loader's list: it is in the order of loading. */
static unsigned initial_count;

void initial_note(void)
{
	unsigned none = 0, count = 0;
	for (const struct link_map *map = _r_debug.r_map; map != NULL; map = map->l_next)
		count++;
	(void)__atomic_compare_exchange_n(
		&initial_count, &none, count, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

unsigned initial_libraries(void)
{
	return __atomic_load_n(&initial_count, __ATOMIC_ACQUIRE);
}

struct search {
	uintptr_t address;
	unsigned left; /* libraries still to be looked at */
	bool found;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	(void)size;
	if (search->left == 0)
		return 1;
	search->left--;
	for (unsigned i = 0; i < info->dlpi_phnum && !search->found; i++)
		search->found = info->dlpi_phdr[i].p_type == PT_LOAD &&
				search->address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
					info->dlpi_phdr[i].p_memsz;
	return search->found;
}

bool initial_has(const void *address)
{
	struct search search = {
		.address = (uintptr_t)address,
		.left = initial_libraries(),
	};
	if (loading_begin()) {
		(void)dl_iterate_phdr(look_at, &search);
		loading_end();
	}
	return search.found;
}
