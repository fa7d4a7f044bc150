/* SPDX-License-Identifier: MIT */
#include "collector/native.h"

#include "collector/base/intern.h"
#include "collector/define.h"
#include "collector/symbols.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

/* What is known of a place, by its id; names are ids of texts. */
struct native {
	uint32_t state; /* enum native_state */
	uint32_t module, function, build_id;
	uint64_t offset;
};
enum native_state {
	NATIVE_UNTRIED,
	NATIVE_FOUND,
	NATIVE_NOWHERE
};

static struct native *natives;

static struct native *native_of(uint32_t id)
{
	if (natives == NULL) {
		void *memory = mmap(NULL, INTERN_ID_LIMIT * sizeof(*natives),
			PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED)
			return NULL;
		natives = memory;
	}
	return id < INTERN_ID_LIMIT ? &natives[id] : NULL;
}

static uint32_t name_of(const char *text)
{
	return define_name(text, strlen(text));
}

static void resolve(uint64_t address, struct native *native)
{
	static struct symbols_place found; /* large, and there is one drain thread */
	native->state = NATIVE_NOWHERE;
	if (symbols_resolve(address, &found) < 0)
		return;
	native->state = NATIVE_FOUND;
	native->module = name_of(found.module);
	native->function = name_of(found.function);
	native->build_id = name_of(found.build_id);
	native->offset = found.offset;
}

void native_resolve(uint32_t id, struct live_place *place, uint64_t *ret_build_id)
{
	struct native *native = native_of(id);
	*ret_build_id = 0;
	if (native == NULL)
		return;
	if (native->state == NATIVE_UNTRIED)
		resolve(place->address, native);
	if (native->state != NATIVE_FOUND)
		return;
	place->file = native->module;
	place->function = native->function;
	place->address = native->offset;
	*ret_build_id = native->build_id;
}
