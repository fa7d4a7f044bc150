/* SPDX-License-Identifier: MIT */
#include "preload/loader/loader.h"

#include "preload/cuda/deepbind.h"
#include "preload/linker/elsewhere.h"
#include "preload/linker/linker.h"
#include "preload/linker/pending.h"
#include "preload/loader/attach.h"
#include "preload/loader/lookup.h"
#include "preload/process/process.h"
#include "preload/thread/guard.h"
#include "preload/thread/late.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

void *loader_next_dlopen;
void *loader_next_dlsym;

static uint32_t attached_generation;

/* Another preloaded library may interpose dlsym too: its turn comes after ours. */
static void find_next(void)
{
	if (__atomic_load_n(&loader_next_dlsym, __ATOMIC_ACQUIRE) != NULL)
		return;
	linker_init();
	if (linker_dlsym == NULL)
		return;
	__atomic_store_n(&loader_next_dlopen, linker_dlsym(RTLD_NEXT, "dlopen"), __ATOMIC_RELEASE);
	__atomic_store_n(&loader_next_dlsym, linker_dlsym(RTLD_NEXT, "dlsym"), __ATOMIC_RELEASE);
}

static LATE void attach(const uintptr_t *frame, uint32_t generation)
{
	if (!pending_none(frame))
		return;
	__atomic_store_n(&attached_generation, generation, __ATOMIC_RELAXED);
	attach_all();
}

static bool is_attached(uint32_t *ret_generation)
{
	*ret_generation = __atomic_load_n(&linker_loads, __ATOMIC_ACQUIRE);
	return *ret_generation == __atomic_load_n(&attached_generation, __ATOMIC_RELAXED) ||
	       !process_is_ready();
}

void loader_attach(const uintptr_t *frame)
{
	uint32_t generation;
	if (!is_attached(&generation) && !elsewhere_loads())
		attach(frame, generation);
}

/* The caller has the guard. */
static LATE void attach_deepbind(const uintptr_t *frame)
{
	if (process_is_ready() && pending_none(frame))
		deepbind_attach();
}

void loader_filter_dlopen(const char *path, int flags, const uintptr_t *frame)
{
	int saved = errno;
	find_next();
	bool loads = path != NULL && (flags & RTLD_NOLOAD) == 0;
	if (loads && process_tracking != 0 && guard_enter()) {
		if (deepbind_waits())
			attach_deepbind(frame);
		if ((flags & RTLD_DEEPBIND) != 0 && *path != '\0')
			deepbind_begins(path);
		guard_leave();
		(void)__atomic_add_fetch(&linker_loads, 1, __ATOMIC_RELEASE);
		pending_begin(frame);
	} else if (loads && process_tracking == 0)
		pending_begin(frame); /* a fork of another thread asks */
	errno = saved;
}

struct loader_answer loader_filter_dlsym(void *handle, const char *name, const uintptr_t *frame)
{
	struct loader_answer answer = {NULL, 0};
	uint32_t generation;
	int saved = errno;
	find_next();
	if (loader_next_dlsym == NULL)
		answer.decided = 1;
	else if (process_tracking != 0 && guard_enter()) {
		/* the program's own look-up waits for others too */
		if (!is_attached(&generation))
			attach(frame, generation);
		if (deepbind_waits())
			attach_deepbind(frame);
		if (lookup_is_cuda(name))
			answer.address = lookup_substitute(handle, name, &answer.decided);
		guard_leave();
	}
	errno = saved;
	return answer;
}
