/* SPDX-License-Identifier: MIT */
/*
 * The second half of reading an unfinished trace: after the frames of the file, the
 * pending frame of its live file, then what the rings still hold. Gives one item at a
 * time like the first half; reader.c is its only user.
 */
#ifndef ANALYZER_READER_LIVE_H
#define ANALYZER_READER_LIVE_H

#include <stdbool.h>

#include "analyzer/read/ledger.h"
#include "analyzer/read/recover.h"

/* Why a trace without a whole frame cannot be read, once gone is set. */
#define READER_LIVE_GONE "nothing whole; what it had not yet written was in memory that is gone"

struct reader_live {
	struct recover *recover; /* NULL: no live file */
	uint64_t *heads;         /* of the rings when it was opened */
	struct record *records;
	unsigned ring; /* the ring in work */
	unsigned step; /* within the ring */
	char name[16]; /* of the ring's thread */
	bool told_unowned;
	bool gone; /* there was one, in memory */
};

/*
 * Open the live file that belongs to a trace path. 0 also when there is none; pid 0: any. Only
 * -ENOMEM is an error.
 */
int reader_live_open(struct reader_live *live, const char *path, uint32_t pid);
void reader_live_close(struct reader_live *live);

/*
 * Next item out of the rings, then the loss of what found none; ITEM_END at their end. What ledger
 * has is left out.
 */
void reader_live_next(struct reader_live *live, const struct ledger *ledger,
	const struct definitions *definitions, struct item *ret_item);

#endif
