/* SPDX-License-Identifier: MIT */
/*
 * The communicators of this process: what they are called in all processes alike, their ranks, and
 * how many collectives they have seen. A name is made of the ids by which the ranks found each
 * other; a part of another communicator is called after it and the number of the split.
 *
 * A bounded table; what does not fit, or was made in a way that is not known, has no name. No lock,
 * no heap; with the guard taken.
 */
#ifndef PRELOAD_NCCL_COMM_H
#define PRELOAD_NCCL_COMM_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/nccl/abi.h"

struct comm {
	const void *handle;   /* NULL: free */
	uint32_t name;        /* 0: not known */
	uint16_t rank, ranks; /* ranks 0: not known */
	uint32_t collectives, transfers, splits;
};

/* NULL: not known, nor can it be asked. */
struct comm *comm_find(const void *handle);

/* It begins; whatever had that address before is gone. */
void comm_add(const void *handle, uint32_t name, int rank, int ranks);

/* No call is made with it any more. */
void comm_remove(const void *handle);

/* All ranks have the same ids. */
uint32_t comm_name_of_ids(const ncclUniqueId *ids, int count);

/* All ranks are in this process. */
uint32_t comm_name_of_process(void);

/* The part of that color, of the split with that number. */
uint32_t comm_name_of_part(uint32_t whole, uint32_t number, int color);

#endif
