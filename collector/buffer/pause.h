/* SPDX-License-Identifier: MIT */
/*
 * When recording was switched off, for what is delivered later than it happened: records of the
 * device are told apart by their time.
 *
 * Changes are noted where they are made, maybe in a signal handler, and taken over by the drain
 * thread, which keeps the latest PAUSE_LIMIT stretches. More than PAUSE_LIMIT changes between two
 * turns of the drain thread become one. Times are CLOCK_MONOTONIC ns. No lock, no heap; errno
 * is kept.
 */
#ifndef COLLECTOR_BUFFER_PAUSE_H
#define COLLECTOR_BUFFER_PAUSE_H

#include <stdbool.h>
#include <stdint.h>

#define PAUSE_LIMIT 256u

/* What ends a step of the program, the best kind first. */
enum pause_kind {
	PAUSE_STEPS, /* that the program says itself */
	PAUSE_MARKS, /* that name a step */
	PAUSE_OPTIMIZERS,
	PAUSE_LOADS, /* batches of a loader */
	PAUSE_KINDS
};

struct pause_change {
	uint64_t ns;
	bool off;
	uint32_t passed[PAUSE_KINDS]; /* ever, until then */
};

struct pause_stretch {
	uint64_t begin_ns, end_ns;    /* end UINT64_MAX: still off */
	uint32_t passed[PAUSE_KINDS]; /* in it */
};

/* Recording may be switched off, though nobody said so at the start. Any thread. */
void pause_expect(void);
bool pause_is_expected(void);

/* Recording is off from now on, or on. Any thread, also in a signal handler. */
void pause_note(bool off);

/* A step has ended that is not recorded, because recording is off. Any thread. */
void pause_pass(enum pause_kind kind);

/* The next change, the oldest first, each once; false: there is none. Drain thread only. */
bool pause_next(struct pause_change *ret_change);

/*
 * The stretch of that number, from 0. False: not begun, or too old to be known. Drain thread only.
 */
bool pause_stretch(uint64_t number, struct pause_stretch *ret_stretch);

/* The number of the oldest one that is known. Drain thread only. */
uint64_t pause_oldest(void);

/* Whether recording was off at a time, as far as changes were taken. Drain thread only. */
bool pause_covers(uint64_t ns);

/* In the child of a fork: nothing has been noted. */
void pause_forget(void);

#endif
