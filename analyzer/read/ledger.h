/* SPDX-License-Identifier: MIT */
/*
 * What a reader has seen of one trace, so that it can say exactly what it has not:
 * sequence numbers of frames (good ones, and ones whose header could be read but
 * nothing else) and, per thread, the numbers of its events. Numbers of frames are
 * kept as ranges: one for a whole file, one more for each gap.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_LEDGER_H
#define ANALYZER_LEDGER_H

#include <stdbool.h>

#include "collector/base/idmap.h"
#include "collector/base/vec.h"

struct ledger_range {
	uint64_t first, last;
};

struct ledger_set {
	VEC(struct ledger_range) ranges; /* ascending, never touching */
};

/* The events of one thread that were delivered. */
struct ledger_thread {
	struct ledger_thread *next;
	uint64_t first, until; /* lowest number, highest + 1 */
	uint64_t count;
};

struct ledger {
	struct ledger_set good, bad;
	struct idmap threads; /* id -> struct ledger_thread */
	struct ledger_thread *list;
};

void ledger_release(struct ledger *ledger);

/* Put number into the set. 0 or -ENOMEM. */
int ledger_add(struct ledger_set *set, uint64_t number);
bool ledger_has(const struct ledger_set *set, uint64_t number);

/* One more than the highest number, 0 for an empty set. */
uint64_t ledger_until(const struct ledger_set *set);

/* Frames whose number is below the highest one seen and of which there was no trace at all. */
uint64_t ledger_missing_frames(const struct ledger *ledger);

/* count events of a thread, numbered from first, were delivered. 0 or -ENOMEM. */
int ledger_add_events(struct ledger *ledger, uint32_t thread, uint64_t first, unsigned count);

/* The number after the last delivered event of a thread; 0: none was. */
uint64_t ledger_next_event(const struct ledger *ledger, uint32_t thread);

/* Events that are missing between others of their thread. */
uint64_t ledger_missing_events(const struct ledger *ledger);

#endif
