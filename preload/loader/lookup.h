/* SPDX-License-Identifier: MIT */
/*
 * What dlsym answers for the name of a function that is interposed: the CUDA runtime's, the
 * driver's, CUPTI's. Each has its own rule; all of them answer with a hook only where the true
 * look-up finds the very function that the hook forwards to.
 *
 * Any thread, with the guard taken, after linker_init().
 */
#ifndef PRELOAD_LOOKUP_H
#define PRELOAD_LOOKUP_H

#include <stdint.h>

/*
 * The answer for dlsym(handle, name), which may be NULL: nothing is found. *ret_decided 0: let the
 * true dlsym answer. name may be NULL or unknown.
 */
void *lookup_substitute(void *handle, const char *name, uint64_t *ret_decided);

#endif
