/* SPDX-License-Identifier: MIT */
/*
 * How long something was busy: the length of the union of intervals that come in almost any order.
 * The latest TABLES_BUSY_WINDOW stretches without a gap are kept apart; older ones are only a
 * length. So the union is exact as long as an interval does not begin before the end of a stretch
 * that lies more than that many stretches back. The part of an interval that does is not counted as
 * busy but as late: the true union lies between busy and busy + late.
 *
 * Memory: 16 bytes per stretch, at most 16 KiB. Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_TABLES_BUSY_H
#define ANALYZER_TABLES_BUSY_H

#include <stdint.h>

#include "collector/base/vec.h"

#define TABLES_BUSY_WINDOW 1024u

struct tables_stretch {
	uint64_t begin_ns, end_ns;
};

struct tables_busy {
	VEC(struct tables_stretch) stretches; /* apart from each other, ascending */
	uint64_t settled_ns;                  /* length of the older ones */
	uint64_t floor_ns;                    /* end of the last of them */
	uint64_t late_ns;
};

void tables_busy_release(struct tables_busy *busy);

/* Something ran; an empty or reversed interval is nothing. 0 or -ENOMEM. */
int tables_busy_add(struct tables_busy *busy, uint64_t begin_ns, uint64_t end_ns);

/* Length of the union so far. */
uint64_t tables_busy_ns(const struct tables_busy *busy);

#endif
