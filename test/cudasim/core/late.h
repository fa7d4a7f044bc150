/* SPDX-License-Identifier: MIT */
/*
 * Operations whose begin is not known when they are enqueued, because it depends on other
 * processes: collectives. A kernel with a struct cudasim_meeting (sim.h) is one.
 *
 * late_start() tells the others that this side has come and returns a number. A point (stream.h)
 * that carries the number has not passed before the others have come too; nothing polls for them
 * but who asks whether a point has passed, waits for one, or enqueues an operation that has to
 * follow it. So the host runs ahead of a collective until something depends on it; there it
 * waits, because effects are carried out in the order of enqueueing. Two numbers are joined
 * into one that is done when both are, so that a point never waits for more than it has to.
 *
 * Numbers grow; the ends of the last LATE_COUNT are remembered, older ones count as long past.
 * The functions named ..._locked expect the state's lock, the others must not have it.
 */
#ifndef CUDASIM_CORE_LATE_H
#define CUDASIM_CORE_LATE_H

#include "work.h"

#define LATE_COUNT 4096

/* Begins the operation, which is free to begin at ready_ns. Returns its number, never 0. */
uint64_t late_start(const struct sim_call *call, CUstream stream, const struct work *work,
	struct sim_op *op, uint64_t ready_ns);

/* A number that is done when both are. */
uint64_t late_join_locked(uint64_t a, uint64_t b);

/* The point without its number, and with the end of that operation, if that is known by now. */
struct sim_point late_fold_locked(struct sim_point point);
struct sim_point late_fold(struct sim_point point);

/* Has the operation with that number got its times and had its effect? Finishes it if it can. */
int late_done(uint64_t number);

/* Waits for that. How long at most is for the kernel's library to say, not for this. */
void late_wait(uint64_t number);

#endif
