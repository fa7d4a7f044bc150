/* SPDX-License-Identifier: MIT */
#include "cbid.h"

#include <string.h>

#define CACHE_SLOTS 2048 /* a power of two, more than there are functions */

static const struct function {
	enum cupti_api api;
	uint32_t id;
	const char *name;
	const char *full_name;
} functions[] = {
#define RUNTIME_ID(id, name, version) {API_RUNTIME, id, #name, #name "_v" #version},
#define DRIVER_ID(id, name)           {API_DRIVER, id, #name, #name},
#include "cbid.def"
#undef RUNTIME_ID
#undef DRIVER_ID
};

#define FUNCTION_COUNT (sizeof(functions) / sizeof(functions[0]))

/* The number is written before the name, and a slot never changes afterwards. */
static struct cached {
	const char *name;
	uint32_t id;
	uint32_t taken;
} cache[CACHE_SLOTS];

static uint32_t search(enum cupti_api api, const char *name)
{
	for (size_t i = 0; i < FUNCTION_COUNT; i++) {
		if (functions[i].api == api && strcmp(functions[i].name, name) == 0)
			return functions[i].id;
	}
	return 0;
}

uint32_t cbid_of(enum cupti_api api, const char *name)
{
	struct cached *slot = &cache[((uintptr_t)name >> 2) % CACHE_SLOTS];
	const char *cached = __atomic_load_n(&slot->name, __ATOMIC_ACQUIRE);
	if (cached == name)
		return slot->id;
	uint32_t id = search(api, name);
	if (!cached && !__atomic_exchange_n(&slot->taken, 1, __ATOMIC_RELAXED)) {
		slot->id = id;
		__atomic_store_n(&slot->name, name, __ATOMIC_RELEASE);
	}
	return id;
}

const char *cbid_name(enum cupti_api api, uint32_t id)
{
	for (size_t i = 0; i < FUNCTION_COUNT; i++) {
		if (functions[i].api == api && functions[i].id == id)
			return functions[i].full_name;
	}
	return NULL;
}
