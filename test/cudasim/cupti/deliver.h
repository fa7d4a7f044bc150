/* SPDX-License-Identifier: MIT */
/*
 * The queue of activities and the thread that takes them out, for CUPTI's callbacks are called
 * from a thread of its own, late, and with many records at once.
 *
 * It wakes up every CUDASIM_CUPTI delay (or flush period), moves what is complete into buffers,
 * and gives back those that are full; a flush gives back the last one too. An activity is complete
 * when the operation's modelled end has passed. The first activity that finds no buffer waits, for
 * a moment, until the thread has asked for one. No lock is held while a client or the driver is
 * called. Nothing is delivered by itself any more when exit() has begun, by a flush still; in a
 * forked child nothing at all. The queue's memory is bounded: what has no place is dropped and
 * counted; what was delivered is given back to the system.
 */
#ifndef CUDASIM_CUPTI_DELIVER_H
#define CUDASIM_CUPTI_DELIVER_H

#include "cupti.h"

/* Starts the thread, if it does not run. Any thread. */
void deliver_start(void);

/*
 * Room for an activity at the end of the queue, to be filled at once, for nobody else gets at the
 * queue before deliver_close(); as much of it as that kind has is zero. NULL: there is none, which
 * is counted. Any thread, without any lock of the driver's.
 */
struct activity *deliver_open(enum cupti_kind kind);
void deliver_close(void);

/* Queues a copy. */
void deliver_put(const struct activity *activity);

/*
 * Returns when the client has been given the last buffer if it is complete, that is, if no activity
 * is incomplete that would stand in it; forced: in any case, what is incomplete without times. Does
 * nothing when a client's callback calls it.
 */
void deliver_flush(int forced);

/*
 * Loses what is not yet given to the client of a context that is gone: its buffers went with it.
 * Nothing counts it.
 */
void deliver_forget(uint32_t context);

/* 0: as CUDASIM_CUPTI says. */
void deliver_set_period(uint32_t period_ms);

/* 1 in a forked child, where CUPTI is of no use any more. */
int deliver_is_dead(void);

/* Number of this process, without a system call. */
uint32_t deliver_process(void);

#endif
