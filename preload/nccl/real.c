/* SPDX-License-Identifier: MIT */
#include "preload/nccl/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/hash.h"
#include "collector/describe.h"
#include "preload/linker/linker.h"
#include "preload/nccl/nccl.h"
#include "preload/thread/guard.h"

#define SITE_BITS   8
#define SITE_COUNT  (1u << SITE_BITS)
#define KNOWN_MAJOR 2
#define NEW_CODES   10000 /* from 2.9 on the major times this */

typedef int version_getter(int *ret_version);
typedef int number_getter(const void *comm, int *ret_number);

const char *const nccl_names[NCCL_COUNT] = {
#define INTERPOSED(parameters, form, symbol) [NCCL_##symbol] = #symbol,
#include "preload/nccl/interposed.def"
#undef INTERPOSED
};

/* Calls that were met; entries are never taken out, and what does not fit is looked up again. */
static struct site {
	const void *caller;
	void *real;
	uint32_t id, claimed;
} sites[SITE_COUNT];

static void *looked_up[NCCL_COUNT]; /* what a dlsym has found */
static const void *first_base;      /* of the library that was met first */
static int other_met, refused;
static bool enabled;
static number_getter *get_rank, *get_ranks;

static void note_version(void *library)
{
	version_getter *get = (version_getter *)linker_dlsym(library, "ncclGetVersion");
	char text[32], reason[80];
	int code = 0;
	if (get == NULL || get(&code) != 0)
		code = 0;
	int unit = code >= NEW_CODES ? NEW_CODES : 1000;
	(void)snprintf(text, sizeof(text), "%d.%d.%d", code / unit, code % unit / 100, code % 100);
	if (code > 0)
		collector_version("nccl", text);
	if (code / unit == KNOWN_MAJOR) {
		collector_source("nccl", "active", NULL);
		return;
	}
	(void)snprintf(reason, sizeof(reason), "version %s of NCCL is not known", text);
	__atomic_store_n(&refused, 1, __ATOMIC_RELEASE);
	collector_source("nccl", "failed", reason);
}

/* The caller has the guard. */
static void meet(void *real)
{
	Dl_info info;
	const void *none = NULL;
	if (dladdr(real, &info) == 0 || info.dli_fbase == NULL)
		return;
	/* never unloaded: calls that are under way have its addresses */
	void *library = linker_keep(info.dli_fname);
	if (library == NULL)
		return;
	if (!__atomic_compare_exchange_n(&first_base, &none, info.dli_fbase, false,
		    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (none != info.dli_fbase)
			__atomic_store_n(&other_met, 1, __ATOMIC_RELEASE);
		return;
	}
	__atomic_store_n(
		(void **)&get_rank, linker_dlsym(library, "ncclCommUserRank"), __ATOMIC_RELEASE);
	__atomic_store_n(
		(void **)&get_ranks, linker_dlsym(library, "ncclCommCount"), __ATOMIC_RELEASE);
	if (enabled)
		note_version(library);
}

static void *find(enum nccl_id id, const void *caller)
{
	Dl_info info;
	void *library = NULL, *real = NULL;
	linker_init();
	if (linker_dlsym == NULL || linker_dlopen == NULL)
		return NULL;
	if (dladdr(caller, &info) != 0 && info.dli_fname != NULL)
		library = linker_open(info.dli_fname);
	if (library != NULL) {
		real = linker_dlsym(library, nccl_names[id]);
		linker_close(library);
	}
	if (real == NULL || real == nccl_own[id])
		real = __atomic_load_n(&looked_up[id], __ATOMIC_ACQUIRE);
	if (real == NULL)
		real = linker_dlsym(RTLD_NEXT, nccl_names[id]);
	return real;
}

static void *find_and_meet(enum nccl_id id, const void *caller)
{
	int saved = errno;
	bool entered = guard_enter();
	void *real = find(id, caller);
	if (real != NULL)
		meet(real);
	linker_forget_error(); /* what is not found is no error of the program */
	if (entered)
		guard_leave();
	errno = saved;
	return real;
}

void *nccl_next(enum nccl_id id, const void *caller)
{
	struct site *site = &sites[hash_bits((uintptr_t)caller + id, SITE_BITS)];
	uint32_t none = 0;
	if (__atomic_load_n(&site->caller, __ATOMIC_ACQUIRE) == caller && site->id == id)
		return site->real;
	void *real = find_and_meet(id, caller);
	if (real == NULL || !__atomic_compare_exchange_n(&site->claimed, &none, 1, false,
				    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return real;
	site->id = id;
	site->real = real;
	__atomic_store_n(&site->caller, caller, __ATOMIC_RELEASE);
	return real;
}

bool nccl_ask(const void *comm, int *ret_rank, int *ret_ranks)
{
	number_getter *rank = __atomic_load_n(&get_rank, __ATOMIC_ACQUIRE);
	number_getter *ranks = __atomic_load_n(&get_ranks, __ATOMIC_ACQUIRE);
	if (comm == NULL || rank == NULL || ranks == NULL ||
		__atomic_load_n(&other_met, __ATOMIC_ACQUIRE) != 0)
		return false;
	return rank(comm, ret_rank) == 0 && ranks(comm, ret_ranks) == 0;
}

bool nccl_is_recorded(void)
{
	return enabled && __atomic_load_n(&refused, __ATOMIC_ACQUIRE) == 0;
}

void nccl_enable(bool on)
{
	enabled = on;
	collector_source("nccl", on ? "absent" : "off",
		on ? "no call of NCCL has come to the hooks" : "LIBTRACE_SOURCES");
}

/* False: other callers have another one, and nobody is to be given ours. */
static bool remember(enum nccl_id id, void *real)
{
	void *none = NULL;
	meet(real);
	return __atomic_compare_exchange_n(
		       &looked_up[id], &none, real, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
	       none == real;
}

/* As it is done for the CUDA runtime: ours only where what was asked for is forwarded to. */
void *nccl_substitute(void *handle, const char *name, uint64_t *ret_decided)
{
	unsigned id = 0;
	*ret_decided = 0;
	while (id < NCCL_COUNT && strcmp(nccl_names[id], name) != 0)
		id++;
	if (id == NCCL_COUNT || handle == RTLD_NEXT || !nccl_is_recorded())
		return NULL;
	if (handle == RTLD_DEFAULT) {
		/* Only we have it: nothing is found, and the loader's own message says so. */
		*ret_decided = linker_dlsym(RTLD_NEXT, name) == NULL;
		return NULL;
	}
	void *found = linker_dlsym(handle, name);
	if (found == NULL || found == nccl_own[id] || !remember((enum nccl_id)id, found))
		return NULL;
	*ret_decided = 1;
	return nccl_own[id];
}
