/* SPDX-License-Identifier: MIT */
/*
 * Calls of NCCL as records. The library is not looked for: who calls it comes to us, by name or
 * by what dlsym has answered.
 */
#ifndef PRELOAD_NCCL_H
#define PRELOAD_NCCL_H

#include <stdbool.h>
#include <stdint.h>

/* Once, at start. */
void nccl_enable(bool on);

/* The name may be one of NCCL's. */
static inline bool nccl_may_be(const char *name)
{
	return name != 0 && name[0] == 'n' && name[1] == 'c' && name[2] == 'c' && name[3] == 'l';
}

/*
 * Answer of dlsym for such a name: ours, with *ret_decided 1; *ret_decided 0 when the true dlsym
 * shall answer. With the guard taken, after linker_init().
 */
void *nccl_substitute(void *handle, const char *name, uint64_t *ret_decided);

#endif
