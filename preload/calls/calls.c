/* SPDX-License-Identifier: MIT */
#include "preload/calls/calls.h"

#include <stddef.h>
#include <string.h>

/* Without a pointer to each, which the loader would have to relocate at every start. */
/* clang-format off */
static const struct names {
	char none[1];
#define HOOK_NAME(library, name) char of_##name[sizeof(#name)];
#include "preload/calls/hooks.def"
} names = {
	.none = "",
#define HOOK_NAME(library, name) .of_##name = #name,
#include "preload/calls/hooks.def"
};

static const uint16_t places[HOOK_COUNT] = {
#define HOOK_NAME(library, name) [HOOK_##name] = offsetof(struct names, of_##name),
#include "preload/calls/hooks.def"
};
_Static_assert(sizeof(names) <= UINT16_MAX, "places fit");

const uint8_t calls_library[HOOK_COUNT] = {
#define HOOK_NAME(library, name) [HOOK_##name] = CALLS_##library,
#include "preload/calls/hooks.def"
};
/* clang-format on */

const char *calls_name(unsigned id)
{
	return (const char *)&names + places[id];
}

struct collector_call calls_describe(unsigned id)
{
	static const char libraries[][8] = {[CALLS_none] = "",
		[CALLS_cudart] = "cudart",
		[CALLS_cuda] = "cuda",
		[CALLS_libc] = "libc"};
	return (struct collector_call){
		.name = calls_name(id), .library = libraries[calls_library[id]]};
}

static enum hook_id id_of(const char *name)
{
	for (unsigned id = 1; id < HOOK_COUNT; id++)
		if (strcmp(calls_name(id), name) == 0)
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
