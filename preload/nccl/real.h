/* SPDX-License-Identifier: MIT */
/*
 * The functions that ours stand in for, as they are forwarded to: the definition that the caller
 * would have got without us, by the libraries that it needs or by what it has looked up. A process
 * may hold two NCCLs (one inside of a framework's own library), and handles of one mean nothing to
 * the other. A library that was found is kept loaded. Any thread; keeps errno.
 */
#ifndef PRELOAD_NCCL_REAL_H
#define PRELOAD_NCCL_REAL_H

#include <stdbool.h>

enum nccl_id {
#define INTERPOSED(parameters, form, symbol) NCCL_##symbol,
#include "preload/nccl/interposed.def"
#undef INTERPOSED
	NCCL_COUNT
};

extern const char *const nccl_names[NCCL_COUNT];

/* Ours. */
extern void *const nccl_own[NCCL_COUNT];

/* The function for a call that returns to caller; NULL: there is none. */
void *nccl_next(enum nccl_id id, const void *caller);

/* What the library that holds real says of a communicator. False: it cannot, or there are two. */
bool nccl_ask(const void *comm, int *ret_rank, int *ret_ranks);

/* It is wanted, and the library is one that is known. */
bool nccl_is_recorded(void);

#endif
