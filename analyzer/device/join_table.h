/* SPDX-License-Identifier: MIT */
/*
 * What is known by correlation id: the interval that the device side's interface reports
 * for a call, the call of ours that it belongs to once that is known, and the
 * operations that came before either. Part of join.h.
 *
 * The table is as large as JOIN_ENTRIES and never grows: ids ascend, so an entry is found
 * where its low bits say, and nowhere else. The id that was there before makes room, unless
 * something waits with it and it is the newer one. An id is 32 bits wide and comes again in the
 * end: what is stored under it is then as old as the table allows and long gone. Entries are
 * named by their index.
 *
 * Operations that wait are kept in a circle that grows up to JOIN_WAITING; when it is full the
 * entry of the oldest gives up what waits. What was given up is counted beside the entries, because
 * it is rare. Not thread-safe.
 */
#ifndef ANALYZER_JOIN_TABLE_H
#define ANALYZER_JOIN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/vec.h"
#include "collector/format/record.h"

#define JOIN_ENTRIES 65536u /* power of two */
#define JOIN_WAITING 32768u /* power of two */
#define JOIN_NOWHERE UINT32_MAX

enum join_state {
	JOIN_EMPTY,
	JOIN_OPERATIONS, /* operations alone */
	JOIN_API,        /* the interval is known, the call is not */
	JOIN_CALLED,     /* the call is known */
	JOIN_UNCALLED,   /* there is no such call */
};

struct join_entry {
	uint64_t begin_ns, end_ns; /* of the interface's record */
	uint32_t id;
	uint32_t thread; /* the system's id */
	union {
		uint64_t call; /* JOIN_CALLED */
		struct {
			uint32_t last;  /* operation that waits; its next one is the first */
			uint32_t early; /* index + 1 */
		};
	};
};
_Static_assert(sizeof(struct join_entry) == 32, "two entries are one cache line");

/* Operations of an entry that were given up before the call was known. */
struct join_early {
	uint64_t begin_ns, end_ns; /* of those with times; 0: none */
	uint32_t count;
	uint32_t next_free; /* index + 1 */
};

/* Of an operation that waits. */
struct join_link {
	uint32_t next;  /* of the same entry */
	uint32_t entry; /* index + 1; 0: it waits no longer */
};

struct join_table {
	struct join_entry *entries;
	uint8_t *states;         /* of the entries: enum join_state */
	struct record *waiting;  /* the operation of a number is where its low bits say */
	struct join_link *links; /* beside waiting */
	uint32_t capacity;       /* of both: power of two */
	uint32_t number;         /* of the next operation that waits, never 0 */
	VEC(struct join_early) early;
	uint32_t free_early; /* index + 1 */
};

int join_table_init(struct join_table *table); /* 0 or -ENOMEM */
void join_table_release(struct join_table *table);

static inline uint32_t join_table_at(uint32_t correlation)
{
	return correlation & (JOIN_ENTRIES - 1);
}

/* True when the entry at that index is of the id. */
static inline bool join_table_has(const struct join_table *table, uint32_t at, uint32_t correlation)
{
	return table->states[at] != JOIN_EMPTY && table->entries[at].id == correlation;
}

/* Operations wait with the entry. */
static inline bool join_table_waits(const struct join_table *table, uint32_t at)
{
	unsigned state = table->states[at];
	return state != JOIN_EMPTY && state != JOIN_CALLED && table->entries[at].last != 0;
}

/* What was given up of an entry without a call; a new count if need be, NULL when out of memory. */
struct join_early *join_table_early(struct join_table *table, uint32_t at);

static inline bool join_table_has_early(const struct join_table *table, uint32_t at)
{
	unsigned state = table->states[at];
	return state != JOIN_EMPTY && state != JOIN_CALLED && table->entries[at].early != 0;
}

/* Take the count away that is there. */
void join_table_take_early(struct join_table *table, uint32_t at, struct join_early *ret_early);

/* Begin anew with an id; the caller has emptied the entry of what it held. */
static inline void join_table_take(struct join_table *table, uint32_t at, uint32_t correlation)
{
	struct join_early gone;
	if (join_table_has_early(table, at))
		join_table_take_early(table, at, &gone);
	table->states[at] = JOIN_OPERATIONS;
	table->entries[at] = (struct join_entry){.id = correlation};
}

/* The circle is full: enlarge it if that may be. As join_table_make_room(). */
uint32_t join_table_enlarge(struct join_table *table);

/* Room for one more operation. JOIN_NOWHERE, or the entry whose operation is in the way. */
static inline uint32_t join_table_make_room(struct join_table *table)
{
	bool room = table->links[table->number & (table->capacity - 1)].entry == 0;
	return room ? JOIN_NOWHERE : join_table_enlarge(table);
}

/* An operation waits with an entry; room was made. */
void join_table_wait(struct join_table *table, uint32_t at, const struct record *record);

/* Take the first operation that waits, if any, with an entry without call; valid until a wait. */
static inline const struct record *join_table_next(struct join_table *table, uint32_t at)
{
	uint32_t mask = table->capacity - 1, number = table->entries[at].last;
	if (number == 0)
		return NULL;
	struct join_link *last = &table->links[number & mask];
	uint32_t first = last->next;
	struct join_link *link = &table->links[first & mask];
	link->entry = 0;
	if (first == number)
		table->entries[at].last = 0;
	else
		last->next = link->next;
	return &table->waiting[first & mask];
}

#endif
