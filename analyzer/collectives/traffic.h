/* SPDX-License-Identifier: MIT */
/*
 * Bytes of a collective as NCCL's own tests count them (nccl-tests, doc/PERFORMANCE.md): its size
 * is that of the whole message, which for some kinds is what a rank has times the ranks; the
 * bandwidth of the bus is size by time, times a factor that makes kinds and numbers of ranks
 * comparable:
 *
 *	all-reduce                                   2 (n - 1) / n
 *	reduce-scatter, all-gather, all-to-all,
 *	gather, scatter                              (n - 1) / n
 *	broadcast, reduce, send, receive             1
 *
 * Pure functions.
 */
#ifndef ANALYZER_COLLECTIVES_TRAFFIC_H
#define ANALYZER_COLLECTIVES_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/collective.h"

/* The size of a message of which the call says bytes. False: it needs the ranks. */
bool traffic_size(enum collective_what what, uint64_t ranks, uint64_t bytes, uint64_t *ret_size);

/* What of a message of that size counts for the bus. False: as above. */
bool traffic_bus(enum collective_what what, uint64_t ranks, uint64_t size, uint64_t *ret_bytes);

#endif
