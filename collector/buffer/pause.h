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

struct pause_change {
	uint64_t ns;
	bool off;
};

/* Recording is off from now on, or on. Any thread, also in a signal handler. */
void pause_note(bool off);

/* The next change, the oldest first, each once; false: there is none. Drain thread only. */
bool pause_next(struct pause_change *ret_change);

/*
 * The stretch of that number, from 0; *ret_end_ns is UINT64_MAX while it lasts. False: not begun,
 * or too old to be known. Drain thread only.
 */
bool pause_stretch(uint64_t number, uint64_t *ret_begin_ns, uint64_t *ret_end_ns);

/* Whether recording was off at a time, as far as changes were taken. Drain thread only. */
bool pause_covers(uint64_t ns);

#endif
