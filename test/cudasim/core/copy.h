/* SPDX-License-Identifier: MIT */
/*
 * Copies and sets: which copy engine, how long, and whether the call waits.
 *
 * The rules are those of CUDA's "API synchronization behavior":
 *   asynchronous  host to device: pinned returns at once; pageable when the data are in the
 *                 staging buffer, and the copy itself ends a little later.
 *                 device to host: pinned returns at once; pageable when it is done.
 *                 device to device: returns at once. host to host: when it is done.
 *   synchronous   the same, but pinned copies from and to the host wait until they are done, and
 *                 a pageable one to the device first waits for the stream. Device to device does
 *                 not wait. A set waits only if it writes pinned memory.
 */
#ifndef CUDASIM_CORE_COPY_H
#define CUDASIM_CORE_COPY_H

#include "work.h"

struct copy_request {
	struct work_copy box;
	int kind; /* enum cuda_copy_kind as asked for; CUDA_COPY_DEFAULT: by the addresses */
	int synchronous;
};

/* A plain range of bytes. */
struct copy_request copy_range(
	void *target, const void *source, size_t bytes, int kind, int synchronous);

/* Returns 0 or an error. Without any lock. */
int copy_submit(struct sim_call *call, CUstream stream, const struct copy_request *request);

int set_submit(struct sim_call *call, CUstream stream, const struct work_set *set, int synchronous);

#endif
