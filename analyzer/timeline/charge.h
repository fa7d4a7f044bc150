/* SPDX-License-Identifier: MIT */
/*
 * Who pays for idle time: where the device has nothing to do, the host's piece at that time says
 * why. It waits for data, collects garbage, waits for the interpreter's lock, is blocked,
 * allocates, launches, or runs other code. Of launching and other code as much belongs to the waits
 * before as they have cost in lead (lead.h), because without them the host would have been there by
 * so much earlier; what has a name of its own (data, allocations, ...) stays with that. A wait for
 * which the device had already finished costs its own call only. Not thread-safe.
 */
#ifndef ANALYZER_CHARGE_H
#define ANALYZER_CHARGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/timeline/cause.h"
#include "analyzer/timeline/code.h"
#include "analyzer/timeline/gap.h"
#include "analyzer/timeline/host.h"
#include "analyzer/timeline/lead.h"
#include "analyzer/timeline/spot.h"
#include "analyzer/timeline/whatif.h"

/* To whom idle time of a step in a stretch is charged. */
struct charge {
	struct spots *spots;
	const struct host *host;
	const struct gaps *gaps;
	struct lead *lead;
	struct code *code;
	const struct watch *watch; /* NULL: nobody looks */
	uint64_t *values; /* of the step, by cause first; scratch when the step is not wanted */
	bool counting;    /* the step is wanted */
	bool measured;    /* the device's work in the stretch was reported by the device */
	bool alone;       /* there is no device: operators are the host's work */
	uint64_t step;
	size_t piece;  /* first one that has not ended where the device was last idle */
	size_t summed; /* first one that reaches into the range */
	size_t code_before, code_after; /* pieces around the code that was looked at last */
	uint32_t code_spot;
	uint64_t from_ns, to_ns; /* the stretch */
	uint64_t device_ns;      /* work of the device in the range */
	uint64_t unfilled_ns;    /* in blocked pieces beside an idle device: no full queue */
	struct stretch kept;     /* the range, to be played again */
	/* the last wait in which the device idled, and for how long since charge_finish() */
	struct {
		uint64_t begin, end, ns;
		uint32_t spot;
	} wait;
};

/* Sums of the host's pieces from begin to end by kind, and what of that is which line's. */
void charge_host(struct charge *charge, uint64_t begin, uint64_t end, uint64_t *ret_sums);

/* As charge_idle(), wherever it is. */
void charge_any_idle(struct charge *charge, uint64_t begin, uint64_t end);

/* The device is idle from begin to end; ascending. */
static inline void charge_idle(struct charge *charge, uint64_t begin, uint64_t end)
{
	if (begin >= charge->wait.begin && end <= charge->wait.end)
		charge->wait.ns += end - begin;
	else
		charge_any_idle(charge, begin, end);
}

/* The range ends. */
void charge_finish(struct charge *charge);

/* For so long the device only copies, for a line. */
void charge_copy(struct charge *charge, uint32_t spot, uint64_t ns);

#endif
