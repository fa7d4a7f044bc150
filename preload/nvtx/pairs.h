/* SPDX-License-Identifier: MIT */
/*
 * Ranges that are started on one thread and ended on any: a table for the process.
 *
 * An id names the slot that holds its range and is never given out twice, so that an
 * end is a look at one slot, and a second end of the same id finds nothing. A start takes the
 * next free slot among the NVTX_PAIR_PROBES that follow the last one taken; when
 * there is none, too many ranges are open and this one is not recorded.
 *
 * Any thread, also in signal handlers; no lock, no allocation.
 */
#ifndef PRELOAD_NVTX_PAIRS_H
#define PRELOAD_NVTX_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/nvtx/stack.h"

#define NVTX_PAIRS       1024u /* open at once, a power of two */
#define NVTX_PAIR_PROBES 64u

/* Keep range of a thread (any number for it) until its end. Returns its id; *ret_lost: no room. */
uint64_t nvtx_pairs_start(const struct nvtx_range *range, uint32_t thread, bool *ret_lost);

/* Take the range of id out. False when there is none. */
bool nvtx_pairs_end(uint64_t id, struct nvtx_range *ret_range, uint32_t *ret_thread);

/* Forget all, in the child of a fork. */
void nvtx_pairs_clear(void);

#endif
