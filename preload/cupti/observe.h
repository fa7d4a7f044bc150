/* SPDX-License-Identifier: MIT */
/*
 * Other users of CUPTI in the process: torch.profiler, tools, the program itself. The functions by
 * which they take the activity interface and leave it are interposed; each forwards to the function
 * that its caller means, with its arguments and result, and tells turn.h.
 *
 * Our own use goes through addresses that were looked up past our hooks, and is not seen here;
 * nor is what runs while a thread is inside this library. A process may hold several
 * CUPTI libraries: the caller's own is called. Without any, the answer is CUPTI's "not
 * initialized".
 *
 * Any thread; these are calls that come a few times per profile. errno is that of the real
 * call.
 */
#ifndef PRELOAD_CUPTI_OBSERVE_H
#define PRELOAD_CUPTI_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

/* The name of an interposed function of CUPTI. NULL is none. */
bool cupti_observe_is_known(const char *name);

/*
 * What dlsym(handle, name) shall answer for a known name: ours in the place of the function that
 * was looked up. *ret_decided 0: let the true dlsym answer.
 */
void *cupti_observe_substitute(void *handle, const char *name, uint64_t *ret_decided);

#endif
