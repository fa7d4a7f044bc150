/* SPDX-License-Identifier: MIT */
/*
 * Which of a row's lanes an event takes. A viewer draws events of one lane as a stack, so each
 * must lie within the one below it or beside it; an event that overlaps another only in part
 * (rounded times of the device, waits of several threads) takes the first lane in which it does
 * not. So nothing has to be dropped.
 *
 * Events of one lane come in the order of their ends; those that come too late for one take the
 * next. Two that begin together do not share a lane either, unless the first has no length: which
 * of them holds the other is not to be seen from the times.
 *
 * Memory is bounded: of the events of a lane that nothing surrounds, older neighbours are
 * remembered as one. Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_EXPORT_LANES_H
#define ANALYZER_EXPORT_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/vec.h"

#define LANES_LIMIT  256u  /* of a row; what fits into none takes the last */
#define LANE_ENTRIES 2048u /* remembered in a lane */

struct lane_entry {
	uint64_t begin_ns, end_ns;
};

struct lane {
	uint64_t number;             /* of the owner's */
	uint64_t end_ns;             /* latest so far */
	VEC(struct lane_entry) open; /* what nothing surrounds yet, in order */
};

struct lanes {
	VEC(struct lane) lanes;
};

void lanes_release(struct lanes *lanes);

/* As below, wherever the event fits. */
struct lane *lanes_search(struct lanes *lanes, uint64_t begin_ns, uint64_t end_ns, bool *ret_new);

/* The lane for an event; *ret_new: it was made for it, and needs a number. NULL: no memory. */
static inline struct lane *lanes_take(
	struct lanes *lanes, uint64_t begin_ns, uint64_t end_ns, bool *ret_new)
{
	struct lane *first = lanes->lanes.items;
	/* mostly behind all that the first one has */
	if (lanes->lanes.count == 0 || begin_ns < first->end_ns || end_ns < begin_ns ||
		first->open.count == LANE_ENTRIES || first->open.count == first->open.capacity)
		return lanes_search(lanes, begin_ns, end_ns, ret_new);
	first->end_ns = end_ns;
	first->open.items[first->open.count++] = (struct lane_entry){begin_ns, end_ns};
	*ret_new = false;
	return first;
}

#endif
