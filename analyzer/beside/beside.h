/* SPDX-License-Identifier: MIT */
/*
 * Records that a second thread takes, beside what the caller does with them: in batches as they
 * were given, in that order, one at a time. They are copied, so that they are the caller's again at
 * once. The thread sleeps until a good part of its room is full, and then takes all there is;
 * the caller waits while the room is full.
 *
 * What the sink reads and others write may change after beside_settle() until the next
 * beside_give(). One thread calls.
 */
#ifndef ANALYZER_BESIDE_H
#define ANALYZER_BESIDE_H

#include <stddef.h>

#include "collector/format/record.h"

struct beside;

/* Takes records of one kind and thread; 0 or a negative code, with which it is over. */
struct beside_sink {
	void *context;
	int (*take)(void *context, unsigned what, uint32_t thread, const struct record *records,
		size_t count);
};

/* NULL: no memory, or no second processor. The caller does it all then. */
struct beside *beside_new(const struct beside_sink *sink);

/* Ends the thread; what has not been taken is dropped. NULL: nothing. */
void beside_free(struct beside *beside);

/*
 * Any number, also none, which is taken as such. Large batches are taken in parts, and those of one
 * kind and thread that follow each other may become one. 0, or what the sink has failed with.
 */
int beside_give(struct beside *beside, unsigned what, uint32_t thread, const struct record *records,
	size_t count);

/* All that was given has been taken. 0, or what the sink has failed with. */
int beside_settle(struct beside *beside);

#endif
