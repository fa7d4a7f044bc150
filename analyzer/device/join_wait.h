/* SPDX-License-Identifier: MIT */
/*
 * The operations that wait for a call, entry by entry of the table (join_table.h). They are kept in
 * a circle that grows up to JOIN_WAITING; when it is full the entry of the oldest gives up what
 * waits. What was given up is counted beside the entries, because it is rare. Part of join.h. Not
 * thread-safe.
 */
#ifndef ANALYZER_JOIN_WAIT_H
#define ANALYZER_JOIN_WAIT_H

#include "analyzer/device/join_table.h"
#include "collector/base/vec.h"
#include "collector/format/record.h"

#define JOIN_WAITING 65536u /* power of two */

/* Operations of an entry that were given up before the call was known. */
struct join_early {
	uint64_t begin_ns, end_ns; /* of those with times; 0: none */
	uint32_t count;
	uint32_t away, late; /* of them: as in struct join_counts */
	uint32_t next_free;  /* index + 1 */
};

/* Of an operation that waits. */
struct join_link {
	uint32_t next;  /* of the same entry */
	uint32_t entry; /* index + 1; 0: it waits no longer */
};

struct join_wait {
	struct record *records;  /* the operation of a number is where its low bits say */
	struct join_link *links; /* beside records */
	uint32_t capacity;       /* of both: power of two */
	uint32_t number;         /* of the next operation that waits, never 0 */
	VEC(struct join_early) early;
	uint32_t free_early; /* index + 1 */
};

int join_wait_init(struct join_wait *wait); /* 0 or -ENOMEM */
void join_wait_release(struct join_wait *wait);

/* What was given up of an entry without a call; a new count if need be, NULL when out of memory. */
struct join_early *join_wait_early(struct join_wait *wait, struct join_entry *entry);

/* Take the count away that is there. */
void join_wait_take_early(
	struct join_wait *wait, struct join_entry *entry, struct join_early *ret_early);

/* The circle is full: enlarge it if that may be. As join_wait_make_room(). */
uint32_t join_wait_enlarge(struct join_wait *wait);

/* Room for one more operation. JOIN_NOWHERE, or the entry whose operation is in the way. */
static inline uint32_t join_wait_make_room(struct join_wait *wait)
{
	bool room = wait->links[wait->number & (wait->capacity - 1)].entry == 0;
	return room ? JOIN_NOWHERE : join_wait_enlarge(wait);
}

/* An operation waits with the entry of that index; room was made. */
static inline void join_wait_add(
	struct join_wait *wait, struct join_entry *entry, uint32_t at, const struct record *record)
{
	uint32_t mask = wait->capacity - 1, number = wait->number, first = number;
	wait->number = number + 1 != 0 ? number + 1 : 1;
	wait->records[number & mask] = *record;
	if (entry->last != 0) {
		struct join_link *last = &wait->links[entry->last & mask];
		first = last->next;
		last->next = number;
	}
	wait->links[number & mask] = (struct join_link){.next = first, .entry = at + 1};
	entry->last = number;
}

/* Take the first operation that waits with an entry without call, valid until an add; or NULL. */
static inline const struct record *join_wait_next(struct join_wait *wait, struct join_entry *entry)
{
	uint32_t mask = wait->capacity - 1, number = entry->last;
	if (number == 0)
		return NULL;
	struct join_link *last = &wait->links[number & mask];
	uint32_t first = last->next;
	struct join_link *link = &wait->links[first & mask];
	link->entry = 0;
	if (first == number)
		entry->last = 0;
	else
		last->next = link->next;
	return &wait->records[first & mask];
}

#endif
