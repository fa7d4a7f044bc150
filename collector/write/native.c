/* SPDX-License-Identifier: MIT */
#include "collector/write/native.h"

#include <string.h>
#include <sys/mman.h>

#include "collector/base/intern.h"
#include "collector/buffer/define.h"
#include "collector/write/symbols.h"

/* What a place was found to be; texts by id. */
struct native {
	uint64_t offset;
	uint32_t module, function, build_id;
	enum {
		NATIVE_NEW,
		NATIVE_KNOWN,
		NATIVE_UNKNOWN
	} state;
};

static struct native *table; /* by id of the place; pages are made as they are touched */

static uint32_t text_id(const char *text)
{
	return define_name(text, strlen(text));
}

static void resolve(struct native *native, uint64_t address)
{
	static struct symbols_place found;
	native->state = NATIVE_UNKNOWN;
	if (symbols_resolve(address, &found) < 0)
		return;
	native->offset = found.offset;
	native->module = text_id(found.module);
	native->function = text_id(found.function);
	native->build_id = text_id(found.build_id);
	native->state = NATIVE_KNOWN;
}

void native_resolve(uint32_t id, struct live_place *place, uint64_t *ret_build_id)
{
	*ret_build_id = 0;
	if (table == NULL) {
		void *memory = mmap(NULL, INTERN_ID_LIMIT * sizeof(*table), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED)
			return;
		table = memory;
	}
	if (id >= INTERN_ID_LIMIT)
		return;
	struct native *native = &table[id];
	if (native->state == NATIVE_NEW)
		resolve(native, place->address);
	if (native->state != NATIVE_KNOWN)
		return;
	place->file = native->module;
	place->function = native->function;
	place->address = native->offset;
	*ret_build_id = native->build_id;
}
