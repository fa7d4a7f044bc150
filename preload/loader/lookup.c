/* SPDX-License-Identifier: MIT */
#include "preload/loader/lookup.h"

#include "preload/calls/calls.h"
#include "preload/cuda/driver.h"
#include "preload/cuda/real.h"
#include "preload/cupti/observe.h"
#include "preload/linker/linker.h"
#include "preload/thread/late.h"

#include <dlfcn.h>

/* A hook in the place of the function that it forwards to. */
static void *substitute(enum hook_id id, void *handle, uint64_t *ret_decided)
{
	*ret_decided = 0;
	if (handle == RTLD_NEXT)
		return NULL;
	(void)real_resolve_cuda();
	const void *forwards_to = real_address(id);
	if (handle == RTLD_DEFAULT) {
		/* Only we have it: find nothing, with the loader's own message left for dlerror. */
		*ret_decided = forwards_to == NULL;
		return forwards_to == NULL ? linker_dlsym(RTLD_NEXT, calls_name(id)) : NULL;
	}
	void *found = linker_dlsym(handle, calls_name(id));
	*ret_decided = found != NULL && found == forwards_to;
	return *ret_decided != 0 ? calls_wrapper(id) : NULL;
}

LATE void *lookup_substitute(void *handle, const char *name, uint64_t *ret_decided)
{
	enum hook_id id = calls_runtime_id(name);
	*ret_decided = 0;
	if (id != HOOK_NONE)
		return substitute(id, handle, ret_decided);
	if (driver_is_known(name))
		return driver_substitute(handle, name, ret_decided);
	if (cupti_observe_is_known(name))
		return cupti_observe_substitute(handle, name, ret_decided);
	if (nccl_may_be(name))
		return nccl_substitute(handle, name, ret_decided);
	return NULL;
}
