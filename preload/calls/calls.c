/* SPDX-License-Identifier: MIT */
#include "preload/calls/calls.h"

#include <string.h>

/* clang-format off */
const struct collector_call calls_table[HOOK_COUNT] = {
#define HOOK_NAME(library, name) [HOOK_##name] = {#name, #library},
#include "preload/calls/hooks.def"
};

const uint8_t calls_library[HOOK_COUNT] = {
#define HOOK_NAME(library, name) [HOOK_##name] = CALLS_##library,
#include "preload/calls/hooks.def"
};
/* clang-format on */

static enum hook_id id_of(const char *name)
{
	for (unsigned id = 1; id < HOOK_COUNT; id++)
		if (strcmp(calls_table[id].name, name) == 0)
			return (enum hook_id)id;
	return HOOK_NONE;
}

enum hook_id calls_runtime_id(const char *name)
{
	if (name == NULL || (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0))
		return HOOK_NONE;
	return id_of(name);
}

enum hook_id calls_driver_id(const char *name)
{
	if (name == NULL || name[0] != 'c' || name[1] != 'u' || name[2] < 'A' || name[2] > 'Z')
		return HOOK_NONE;
	return id_of(name);
}
