/* SPDX-License-Identifier: MIT */
#include "preload/probe/probe.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/log.h"
#include "collector/describe.h"
#include "preload/frameworks/frameworks.h"
#include "preload/linker/linker.h"
#include "preload/probe/call.h"
#include "preload/probe/module.h"
#include "preload/probe/patterns.h"
#include "preload/probe/table.h"
#include "preload/thread/arena.h"

#define MODULES_LIMIT 2048u
#define WAITING_LIMIT 512u

/* A module that was looked through. */
struct seen {
	uintptr_t base, begin, end;
	uint32_t functions; /* that had been found when its slots were looked through */
	uint32_t next_slot; /* to be looked at, when there was no room for more that wait */
	bool known;         /* its own functions were looked through */
};

/* A slot that the dynamic linker fills when it is first called through. */
struct waiting {
	char path[256];
	char symbol[512];
	uintptr_t base; /* of the module */
	uintptr_t *slot;
	uintptr_t value; /* that it had */
	struct slots_relro relro;
};

static struct patterns patterns;
static struct seen *modules;
static uint32_t module_count, function_count;
static struct waiting *waiting;
static uint32_t waiting_count;
static bool waiting_full; /* another round is needed */
static uint64_t slots, too_many, too_long, not_writable;

static uintptr_t stub_of(uint32_t number)
{
	return (uintptr_t)probe_stubs + (uintptr_t)number * CALL_STUB_BYTES;
}

static struct seen *find_seen(const struct module *module)
{
	for (uint32_t i = 0; i < module_count; i++)
		if (modules[i].base == module->base && modules[i].begin == module->begin &&
			modules[i].end == module->end)
			return &modules[i];
	if (module_count == MODULES_LIMIT)
		return NULL;
	modules[module_count] = (struct seen){.base = module->base,
		.begin = module->begin,
		.end = module->end,
		.functions = UINT32_MAX};
	return &modules[module_count++];
}

static void add_function(void *context, const char *symbol, const void *address)
{
	const struct module *module = context;
	if (patterns_want(&patterns, module->file, symbol))
		too_many += table_add(address, symbol) == TABLE_NONE;
}

static void write_slot(uintptr_t *slot, uint32_t number, const struct slots_relro *relro)
{
	if (slots_write(slot, stub_of(number), relro))
		slots++;
	else
		not_writable++;
}

/* The slots of one module, in the order of its relocations. */
struct looking {
	const struct module *module;
	struct seen *seen;
	uint32_t slot; /* number of the next one */
};

static void add_waiting(
	const struct looking *looking, const char *symbol, uintptr_t *slot, uintptr_t value)
{
	const struct module *module = looking->module;
	if (waiting_count == WAITING_LIMIT) {
		waiting_full = true;
		looking->seen->next_slot = looking->slot - 1;
		return;
	}
	struct waiting *one = &waiting[waiting_count];
	if (strlen(module->path) >= sizeof(one->path) || strlen(symbol) >= sizeof(one->symbol)) {
		too_long++;
		return;
	}
	(void)snprintf(one->path, sizeof(one->path), "%s", module->path);
	(void)snprintf(one->symbol, sizeof(one->symbol), "%s", symbol);
	one->base = module->base;
	one->slot = slot;
	one->value = value;
	one->relro = module->relro;
	waiting_count++;
}

/* Not yet bound: the value leads back into the module. */
static void look_at_slot(void *context, const char *symbol, uintptr_t *slot)
{
	struct looking *looking = context;
	const struct module *module = looking->module;
	if (looking->slot++ < looking->seen->next_slot || waiting_full)
		return;
	uintptr_t value = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	uint32_t number = table_find((const void *)value);
	if (number != TABLE_NONE)
		write_slot(slot, number, &module->relro);
	else if (value - module->begin < module->end - module->begin && table_has_symbol(symbol))
		add_waiting(looking, symbol, slot, value);
}

static int look_for_functions(struct dl_phdr_info *info, size_t size, void *context)
{
	struct module module;
	(void)size;
	(void)context;
	if (!module_read(info, &module))
		return 0;
	struct seen *seen = find_seen(&module);
	if (seen == NULL)
		return 0;
	bool is_new = !seen->known;
	seen->known = true;
	if (is_new && patterns_want_library(&patterns, module.file))
		module_each_function(&module, add_function, &module);
	return 0;
}

/* The library and what it stands on call each other as they did. */
static bool is_caller(const struct module *module)
{
	uintptr_t own = (uintptr_t)probe_stubs;
	return own - module->begin >= module->end - module->begin &&
	       strncmp(module->file, "ld-linux", 8) != 0 &&
	       strncmp(module->file, "libc.so", 7) != 0 &&
	       strncmp(module->file, "linux-vdso", 10) != 0;
}

static int look_for_slots(struct dl_phdr_info *info, size_t size, void *context)
{
	struct module module;
	(void)size;
	(void)context;
	if (!module_read(info, &module) || !is_caller(&module))
		return 0;
	struct seen *seen = find_seen(&module);
	if (seen == NULL || seen->functions == function_count)
		return 0;
	struct looking looking = {&module, seen, 0};
	module_each_slot(&module, look_at_slot, &looking);
	if (waiting_full)
		return 1;
	seen->functions = function_count;
	seen->next_slot = 0;
	return 0;
}

static int count_gone(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_subs;
	return 1;
}

/*
 * Nobody has held the module since the slot was seen: it may have gone, and be there again
 * elsewhere, or another one of its name may be meant. It is held now.
 */
static bool is_still_there(const struct waiting *one, void *module, const void *found)
{
	struct link_map *map = NULL;
	if (dlinfo(module, RTLD_DI_LINKMAP, &map) != 0 || map->l_addr != one->base)
		return false;
	uintptr_t value = __atomic_load_n(one->slot, __ATOMIC_ACQUIRE);
	return value == one->value || value == (uintptr_t)found;
}

/*
 * The dynamic linker would note at the first call that the one library is needed by the other; a
 * slot that is filled by us keeps it loaded for ever.
 */
static void bind_waiting(void)
{
	for (uint32_t i = 0; i < waiting_count; i++) {
		struct waiting *one = &waiting[i];
		void *module = linker_open(*one->path != '\0' ? one->path : NULL);
		if (module == NULL)
			continue;
		void *found = linker_dlsym(RTLD_DEFAULT, one->symbol);
		if (found == NULL)
			found = linker_dlsym(module, one->symbol);
		uint32_t number = found != NULL ? table_find(found) : TABLE_NONE;
		Dl_info info;
		if (number != TABLE_NONE && is_still_there(one, module, found) &&
			dladdr(found, &info) != 0 && linker_keep(info.dli_fname) != NULL)
			write_slot(one->slot, number, &one->relro);
		linker_close(module);
	}
	waiting_count = 0;
}

static void attach(void)
{
	static uint64_t gone;
	uint64_t gone_now = 0;
	(void)linker_each(count_gone, &gone_now);
	bool again = gone_now != gone;
	gone = gone_now;
	if (again) {
		module_count = 0;
		patterns_restart(&patterns);
		table_restart();
	}
	(void)linker_each(look_for_functions, NULL);
	if (again)
		table_restarted();
	function_count = table_count();
	slots_restart();
	do {
		waiting_full = false;
		(void)linker_each(look_for_slots, NULL);
		bind_waiting();
	} while (waiting_full);
	if (too_many > 0)
		log_error("LIBTRACE_PROBE: only the first %u functions are traced",
			(unsigned)TABLE_LIMIT);
}

void probe_attach(void)
{
	static struct frameworks_search search;
	if (patterns.count > 0)
		frameworks_search(&search, attach);
}

void probe_describe(void)
{
	char text[512], missing[384];
	if (patterns.count == 0)
		return;
	patterns_describe(&patterns, missing, sizeof(missing));
	(void)snprintf(text, sizeof(text), "%u functions, called from %llu places%s%s%s%s%s",
		table_count(), (unsigned long long)slots, *missing != '\0' ? "; " : "", missing,
		too_many > 0 ? "; more than can be traced" : "",
		too_long > 0 ? "; some names are too long" : "",
		not_writable > 0 ? "; some places cannot be written" : "");
	collector_source("probe", table_count() > 0 ? "active" : "absent", text);
}

bool probe_is_list(const char *list)
{
	static struct patterns tried;
	const char *bad;
	patterns_read(list, &tried, &bad);
	return bad == NULL;
}

void probe_begin(const char *list)
{
	const char *bad;
	if (*list == '\0')
		return;
	modules = arena_pages(MODULES_LIMIT * sizeof(*modules));
	waiting = arena_pages(WAITING_LIMIT * sizeof(*waiting));
	if (modules == NULL || waiting == NULL)
		return;
	size_t size = strlen(list) + 1;
	char *kept = arena_take(size); /* a program may write over its environment */
	if (kept == NULL) {
		log_error("LIBTRACE_PROBE: a list of %zu bytes is too long", size);
		return;
	}
	memcpy(kept, list, size);
	patterns_read(kept, &patterns, &bad);
	call_prepare();
	(void)pthread_atfork(NULL, NULL, call_forget);
	probe_attach();
}
