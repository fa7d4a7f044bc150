/* SPDX-License-Identifier: MIT */
/*
 * What dlsym answers for the name of a function that is interposed: the CUDA runtime's, the
 * driver's, CUPTI's, NCCL's. Each has its own rule; all of them answer with a hook only where the
 * true look-up finds the very function that the hook forwards to.
 *
 * Any thread, with the guard taken, after linker_init().
 */
#ifndef PRELOAD_LOOKUP_H
#define PRELOAD_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/nccl/nccl.h"

/*
 * The name may be of one of them. The rest must not be asked for: what stands in for functions of
 * libc looks them up by their names, and none of them can be called then.
 */
static inline bool lookup_is_cuda(const char *name)
{
	if (name == NULL)
		return false;
	if (nccl_may_be(name))
		return true;
	if (name[0] == '_' && name[1] == '_')
		name += 2;
	if (name[0] != 'c' || name[1] != 'u')
		return false;
	return (name[2] >= 'A' && name[2] <= 'Z') || name[2] == 'd' || name[2] == 'p';
}

/*
 * The answer for dlsym(handle, name), which may be NULL: nothing is found. *ret_decided 0: let the
 * true dlsym answer. name may be unknown; lookup_is_cuda() says yes to it.
 */
void *lookup_substitute(void *handle, const char *name, uint64_t *ret_decided);

#endif
