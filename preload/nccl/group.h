/* SPDX-License-Identifier: MIT */
/*
 * The group that the calling thread has open: NCCL launches what was called inside when the
 * outermost one ends, and gives out the communicators that were begun inside. With the guard taken.
 */
#ifndef PRELOAD_NCCL_GROUP_H
#define PRELOAD_NCCL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/nccl/abi.h"

/* Of a thread that has called NCCL. */
struct group_own {
	const char *outermost; /* frame of the call in progress that no other one makes */
	uint32_t depth, calls, waiting;
};
extern __thread struct group_own *group_own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Before all others, with or without the guard. False: no memory. */
bool group_thread(void);

void group_begin(void);
bool group_is_open(void);

/* One more call that moves data. False: there is no group. */
bool group_takes(void);

/* One was begun, and its address will lie at comm. False: there is no group, so it is there. */
bool group_begins(ncclComm_t *comm, uint32_t name, int rank, int ranks);

/* False: it is not the outermost one. *ret_calls: that moved data. done: else nothing was begun. */
bool group_end(bool done, uint32_t *ret_calls);

#endif
