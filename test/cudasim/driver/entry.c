/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "../core/clock.h"
#include "../core/computed.h"
#include "../core/errors.h"
#include "../core/kernel.h"
#include "../core/settings.h"
#include "../core/state.h"
#include "driver.h"

/* clang-format off */
#define ANY  0u
#define INIT SIM_CALL_INIT
#define CTX  SIM_CALL_CONTEXT

#define VOID_() (void)
#define VOID_SOME(...) (__VA_ARGS__)
#define PARAMS(...) VOID_##__VA_OPT__(SOME)(__VA_ARGS__)
#define CALL_ARGS(...) (&call __VA_OPT__(,) __VA_ARGS__)

#define WRAPPER(exported, symbol, flags, params, args)                                             \
	CUDA_EXPORT int exported PARAMS params;                                                    \
	int exported PARAMS params                                                                 \
	{                                                                                          \
		struct sim_call call;                                                              \
		int result = call_begin(&call, #exported, SIM_DRIVER, flags);                      \
		if (result == 0)                                                                   \
			result = sim_##symbol CALL_ARGS args;                                      \
		return call_end(&call, result);                                                    \
	}

#define DRIVER(name, symbol, version, needs, params, args)                                         \
	WRAPPER(symbol, symbol, needs, params, args)
#define DRIVER_PT(name, symbol, suffix, version, pt_version, needs, params, args)                  \
	WRAPPER(symbol, symbol, needs, params, args)                                               \
	WRAPPER(symbol##_##suffix, symbol, (needs) | SIM_CALL_PER_THREAD, params, args)
/* Callers pass arguments; none is looked at. */
#define DRIVER_REFUSED(name, symbol, version)                                                      \
	CUDA_EXPORT int symbol(void);                                                              \
	int symbol(void)                                                                           \
	{                                                                                          \
		struct sim_call call;                                                              \
		int result = call_begin(&call, #symbol, SIM_DRIVER, INIT);                         \
		return call_end(&call, result ? result : (int)cudaErrorNotSupported);              \
	}
#define DRIVER_REFUSED_PT(name, symbol, suffix, version)                                           \
	DRIVER_REFUSED(name, symbol, version)                                                      \
	DRIVER_REFUSED(name, symbol##_##suffix, version)
#include "driver.def"
#undef DRIVER
#undef DRIVER_PT
#undef DRIVER_REFUSED
#undef DRIVER_REFUSED_PT

struct entry {
	const char *name;
	void *function;
	int version;
	int per_thread;
};

#define ENTRY(name, symbol, version, per_thread)                                                   \
	{#name, (void *)(uintptr_t)symbol, version, per_thread},
#define DRIVER(name, symbol, version, needs, params, args) ENTRY(name, symbol, version, 0)
#define DRIVER_PT(name, symbol, suffix, version, pt_version, needs, params, args)                  \
	ENTRY(name, symbol, version, 0) ENTRY(name, symbol##_##suffix, pt_version, 1)
#define DRIVER_REFUSED(name, symbol, version) ENTRY(name, symbol, version, 0)
#define DRIVER_REFUSED_PT(name, symbol, suffix, version)                                           \
	ENTRY(name, symbol, version, 0) ENTRY(name, symbol##_##suffix, version, 1)
static const struct entry entries[] = {
#include "driver.def"
};
#undef DRIVER
#undef DRIVER_PT
#undef DRIVER_REFUSED
#undef DRIVER_REFUSED_PT
/* clang-format on */

enum entry_flags {
	ENTRY_DEFAULT = 0,
	ENTRY_LEGACY_STREAM = 1,
	ENTRY_PER_THREAD_STREAM = 2
};
enum entry_status {
	ENTRY_FOUND = 0,
	ENTRY_NOT_FOUND = 1,
	ENTRY_TOO_OLD = 2
};

/* The newest form of name that version allows; of the wanted kind if there is one. */
static enum entry_status find_entry(
	const char *name, int version, int per_thread, void **ret_function)
{
	const struct entry *best = NULL;
	enum entry_status status = ENTRY_NOT_FOUND;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		const struct entry *entry = &entries[i];
		if (strcmp(entry->name, name) || (entry->per_thread && !per_thread))
			continue;
		if (entry->version > version) {
			status = ENTRY_TOO_OLD;
			continue;
		}
		if (!best || entry->per_thread > best->per_thread ||
			(entry->per_thread == best->per_thread && entry->version >= best->version))
			best = entry;
	}
	if (!best)
		return status;
	*ret_function = best->function;
	return ENTRY_FOUND;
}

/* The same name in storage that lives as long as the process: the log prints it later. */
static const char *lasting_name(const char *name)
{
	static struct unknown {
		struct unknown *next;
		char name[];
	} * unknowns;
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		if (strcmp(entries[i].name, name) == 0)
			return entries[i].name;
	}
	state_lock();
	struct unknown *unknown = unknowns;
	while (unknown && strcmp(unknown->name, name))
		unknown = unknown->next;
	if (!unknown && (unknown = malloc(sizeof(*unknown) + strlen(name) + 1))) {
		memcpy(unknown->name, name, strlen(name) + 1);
		unknown->next = unknowns;
		unknowns = unknown;
	}
	state_unlock();
	return unknown ? unknown->name : "?";
}

int sim_cuGetProcAddress_v2(struct sim_call *call, const char *name, void **ret_function,
	int version, uint64_t flags, int *ret_status)
{
	void *function = NULL;
	if (!name || !ret_function || flags > ENTRY_PER_THREAD_STREAM)
		return cudaErrorInvalidValue;
	enum entry_status status =
		find_entry(name, version, flags == ENTRY_PER_THREAD_STREAM, &function);
	call->detail.set |= SIM_SET_TEXT;
	call->detail.name = lasting_name(name);
	*ret_function = function;
	if (ret_status)
		*ret_status = (int)status;
	/* With a place for the status, a name that is not found is no failure of the call. */
	return status == ENTRY_FOUND || (ret_status && *name) ? 0 : cudaErrorSymbolNotFound;
}

int sim_cuGetProcAddress(
	struct sim_call *call, const char *name, void **ret_function, int version, uint64_t flags)
{
	return sim_cuGetProcAddress_v2(call, name, ret_function, version, flags, NULL);
}

CUDA_EXPORT void cudasim_dump_log(void)
{
	log_drain();
}

CUDA_EXPORT const char *cudasim_kernels(void)
{
	return settings_get()->kernels;
}

CUDA_EXPORT extern const struct sim_private cudasim_private;
const struct sim_private cudasim_private = {.size = sizeof(cudasim_private),
	.call_begin = call_begin,
	.call_end = call_end,
	.attach_runtime = computed_attach_runtime,
	.sticky_error = state_sticky,
	.define_global = library_define_global,
	.error_name = error_name,
	.error_text = error_text,
	.driver_error_name = error_driver_name,
	.dump_log = log_drain,
	.set_tap = log_set_tap,
	.set_watch = call_set_watch,
	.describe_device = device_describe,
	.tap_changed = log_tap_changed};

int sim_cuGetExportTable(struct sim_call *call, const void **ret_table, const struct cuda_uuid *id)
{
	(void)call;
	if (!ret_table || !id || memcmp(id->bytes, SIM_PRIVATE_ID, sizeof(id->bytes)))
		return cudaErrorInvalidValue;
	*ret_table = &cudasim_private;
	return 0;
}
