/* SPDX-License-Identifier: MIT */
/*
 * How many batches of a loader lay ready whenever the loop asked for one, and how far ahead it was
 * asked for: from the messages with numbers that the loop's process puts into the queues of its
 * workers, those that the workers put into the one back, and the loads of the loop, which takes
 * them in the order of their numbers. A batch that lies ready is one that a worker has given and
 * the loop has not taken, wherever it lies meanwhile (pipe, pinning thread, out of order).
 *
 * From the same follows how long each batch took its worker, and so how fast the loop would be if
 * it were asked for farther ahead. Epochs of which messages are missing, or that do not fit
 * together, are left out and counted. Plain values.
 */
#ifndef ANALYZER_RUN_DEPTH_H
#define ANALYZER_RUN_DEPTH_H

#include "analyzer/facts/pool.h"
#include "analyzer/run/workers.h"

/* 0 or -ENOMEM; without what it needs *ret_depth is all zero but for left_out. */
int depth_of(const run_workers *workers, uint64_t identity, struct depth *ret_depth);

#endif
