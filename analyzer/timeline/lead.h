/* SPDX-License-Identifier: MIT */
/*
 * The lead that waits have cost. A host that does not wait runs ahead of the device; each
 * nanosecond that a wait holds it is a nanosecond of lead that it no longer has. When the device
 * then has nothing to do while the host runs code, it would have had without the wait: so much of
 * the idle time as lead was lost belongs to the wait's line, however many waits came in between.
 * The latest loss is the first to be charged.
 *
 * A host is taken to run at most about a step ahead: what was lost in a step is forgotten when the
 * next one ends. At most LEAD_LINES lines are kept apart, the latest. Plain data; all zero: nothing
 * was lost. Not thread-safe.
 */
#ifndef ANALYZER_LEAD_H
#define ANALYZER_LEAD_H

#include <stdint.h>

#define LEAD_LINES 8u

struct lead_lost {
	uint32_t spot;
	uint64_t now_ns, before_ns; /* in the running step, in the one before */
};

struct lead {
	struct lead_lost lost[LEAD_LINES]; /* the latest last */
	uint32_t count;
};

/* A wait of the line has held the host for ns. */
void lead_lose(struct lead *lead, uint32_t spot, uint64_t ns);

/*
 * The device idles for ns. How much of that is the loss of one line, which is charged with it:
 * *ret_spot; 0 when nothing is left. Ask again for the rest.
 */
uint64_t lead_charge(struct lead *lead, uint64_t ns, uint32_t *ret_spot);

/* A step has ended. */
void lead_step(struct lead *lead);

#endif
