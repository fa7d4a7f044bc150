/* SPDX-License-Identifier: MIT */
/*
 * A call of NCCL while it is made, and the record that becomes of it. With the guard taken.
 */
#ifndef PRELOAD_NCCL_EMIT_H
#define PRELOAD_NCCL_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/format/collective.h"
#include "preload/nccl/abi.h"

struct call {
	uint64_t begin, end; /* ticks */
	const void *caller;
	const void *handle; /* of the communicator */
	struct comm *comm;  /* NULL: not known */
	uint32_t name;      /* what it is called, and its rank and ranks, when the call begins */
	uint16_t rank, ranks;
	int result;
	enum collective_what what;
	size_t count;
	int type, reduction, peer;
	uint32_t number; /* in its communicator */
};

static inline bool call_is_done(const struct call *call)
{
	return call->result == NCCL_DONE || call->result == COLLECTIVE_IN_PROGRESS;
}

/* If recording is on. flags: enum collective_flags. */
void call_emit(const struct call *call, const void *stream, unsigned flags);

#endif
