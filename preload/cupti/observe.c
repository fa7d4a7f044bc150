/* SPDX-License-Identifier: MIT */
#include "preload/cupti/observe.h"

#include "preload/calls/calls.h"
#include "preload/cupti/turn.h"
#include "preload/linker/linker.h"
#include "preload/process/process.h"
#include "preload/thread/guard.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#define FLUSH_FORCED    1u
#define NOT_INITIALIZED 15
#define LIBRARY         "libcupti.so"

enum observed {
#define OBSERVE(name, params, args, takes, after) OBSERVED_##name,
#include "preload/cupti/observe.def"
	OBSERVED_COUNT
};

static const char *const names[OBSERVED_COUNT] = {
#define OBSERVE(name, params, args, takes, after) [OBSERVED_##name] = #name,
#include "preload/cupti/observe.def"
};

/* What a dlsym with a handle found, as long as it is there. */
static void *looked_up[OBSERVED_COUNT];

static bool is_cupti(const char *path)
{
	const char *slash = path == NULL ? NULL : strrchr(path, '/');
	const char *name = slash == NULL ? path : slash + 1;
	return name != NULL && strncmp(name, LIBRARY, sizeof(LIBRARY) - 1) == 0;
}

static bool lies_in_cupti(const void *address)
{
	Dl_info info;
	return dladdr(address, &info) != 0 && is_cupti(info.dli_fname);
}

/* The CUPTI that a loaded library says it needs, or NULL. */
static const char *needed_by(const struct link_map *map)
{
	const char *texts = NULL;
	for (const ElfW(Dyn) *at = map->l_ld; at != NULL && at->d_tag != DT_NULL; at++)
		if (at->d_tag == DT_STRTAB)
			texts = (const char *)at->d_un.d_ptr;
	if (texts == NULL)
		return NULL;
	if ((ElfW(Addr))(uintptr_t)texts < map->l_addr) /* not relocated in place here */
		texts += map->l_addr;
	for (const ElfW(Dyn) *at = map->l_ld; at->d_tag != DT_NULL; at++)
		if (at->d_tag == DT_NEEDED && is_cupti(texts + at->d_un.d_val))
			return texts + at->d_un.d_val;
	return NULL;
}

static void *find_needed(const void *caller, const char *name)
{
	Dl_info info;
	struct link_map *map = NULL;
	if (dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || map == NULL)
		return NULL;
	const char *soname = needed_by(map);
	void *handle = soname == NULL ? NULL : linker_find(soname);
	if (handle == NULL)
		return NULL;
	void *found = linker_dlsym(handle, name);
	linker_close(handle); /* the caller holds it */
	return found;
}

/*
 * Another preloaded library's own comes first, then that of the CUPTI which the caller is linked
 * with, or has looked up, or which everybody sees.
 */
static void *find(enum observed id, const void *caller)
{
	int saved = errno;
	linker_init();
	if (linker_dlsym == NULL || linker_dlopen == NULL) {
		errno = saved;
		return NULL;
	}
	void *next = linker_dlsym(RTLD_NEXT, names[id]);
	void *found = next;
	if (next == NULL || lies_in_cupti(next)) {
		found = find_needed(caller, names[id]);
		if (found == NULL)
			found = __atomic_load_n(&looked_up[id], __ATOMIC_RELAXED);
		if (found == NULL)
			found = next;
	}
	linker_forget_error(); /* what is not found is no error of the program */
	errno = saved;
	return found;
}

/* For the reader. */
static const char *name_of(const void *caller)
{
	Dl_info info;
	if (dladdr(caller, &info) == 0 || info.dli_fname == NULL)
		return "another tool";
	const char *slash = strrchr(info.dli_fname, '/');
	const char *name = slash == NULL ? info.dli_fname : slash + 1;
	return strncmp(name, "libtorch_cpu.", strlen("libtorch_cpu.")) == 0 ? "torch.profiler"
									    : name;
}

static uint64_t of_context(const void *context, uint32_t kind)
{
	return ((uint64_t)(uintptr_t)context << 8 ^ kind) | 1ull << 63;
}

static uint64_t of_subscriber(void *const *subscriber)
{
	return (uintptr_t)*subscriber;
}

/* False: it is our own call, or one from inside the library. */
static bool begin(bool takes, const void *caller, bool *ret_took)
{
	int saved = errno;
	*ret_took = false;
	if (process_tracking == 0 || !guard_enter())
		return false;
	if (takes)
		*ret_took = cupti_turn_take(name_of(caller));
	guard_leave();
	errno = saved;
	return true;
}

/* clang-format off */
#define OBSERVE(name, params, args, takes, after)                                                  \
	HOOK_EXPORT int name params;                                                               \
	int name params                                                                            \
	{                                                                                          \
		const void *caller = __builtin_return_address(0);                                  \
		bool took;                                                                         \
		int(*next) params = find(OBSERVED_##name, caller);                                 \
		if (next == NULL)                                                                  \
			return NOT_INITIALIZED;                                                    \
		bool observed = begin(takes, caller, &took);                                       \
		int result = next args;                                                            \
		int saved = errno;                                                                 \
		if (observed && result == 0 && guard_enter()) {                                    \
			after;                                                                     \
			guard_leave();                                                             \
		}                                                                                  \
		errno = saved;                                                                     \
		return result;                                                                     \
	}
#include "preload/cupti/observe.def"

static void *const observers[OBSERVED_COUNT] = {
#define OBSERVE(name, params, args, takes, after) [OBSERVED_##name] = (void *)name,
#include "preload/cupti/observe.def"
};
/* clang-format on */

static enum observed id_of(const char *name)
{
	unsigned id = 0;
	while (id < OBSERVED_COUNT && strcmp(names[id], name) != 0)
		id++;
	return (enum observed)id;
}

bool cupti_observe_is_known(const char *name)
{
	return name != NULL && strncmp(name, "cupti", 5) == 0 && id_of(name) != OBSERVED_COUNT;
}

void *cupti_observe_substitute(void *handle, const char *name, uint64_t *ret_decided)
{
	enum observed id = id_of(name);
	*ret_decided = 0;
	if (handle == RTLD_NEXT)
		return NULL;
	if (handle == RTLD_DEFAULT) {
		/* Only we have it: nothing is found, and the loader's own message says so. */
		*ret_decided = linker_dlsym(RTLD_NEXT, name) == NULL;
		return NULL;
	}
	void *found = linker_dlsym(handle, name);
	if (found == NULL || !lies_in_cupti(found))
		return NULL;
	/* An observer forwards to one library. What comes from a second one is left as it is. */
	void *seen = __atomic_load_n(&looked_up[id], __ATOMIC_RELAXED);
	if (seen != found && seen != NULL && lies_in_cupti(seen))
		return NULL;
	__atomic_store_n(&looked_up[id], found, __ATOMIC_RELAXED);
	*ret_decided = 1;
	return observers[id];
}
