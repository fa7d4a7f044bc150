/* SPDX-License-Identifier: MIT */
/*
 * What is known by correlation id: the interval that the device side's interface reports
 * for a call, the call of ours that it belongs to once that is known, and the
 * operations that came before either. Part of join.h.
 *
 * The table is as large as JOIN_ENTRIES and never grows: ids ascend, so an entry is found
 * where its low bits say or in one of the next places, JOIN_PROBES in all, and the one taken
 * longest ago makes room. An id is 32 bits wide and comes again in the end: what is stored
 * under it is then as old as the table allows and long gone.
 *
 * Operations that wait are kept in a circle of JOIN_WAITING; when it is full the entry of
 * the oldest gives up what waits. Not thread-safe.
 */
#ifndef ANALYZER_JOIN_TABLE_H
#define ANALYZER_JOIN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/record.h"

#define JOIN_ENTRIES 65536u /* power of two */
#define JOIN_PROBES  4u
#define JOIN_WAITING 32768u /* power of two */

enum join_state {
	JOIN_EMPTY,
	JOIN_OPERATIONS, /* operations alone */
	JOIN_API,        /* the interval is known, the call is not */
	JOIN_CALLED,     /* the call is known */
	JOIN_UNCALLED,   /* there is no such call */
};

struct join_entry {
	uint64_t begin_ns, end_ns; /* of the interface's record */
	uint64_t call;             /* JOIN_CALLED */
	uint64_t early_begin_ns, early_end_ns;
	uint32_t early;         /* operations that were given up before the call was known */
	uint32_t thread;        /* the system's id */
	uint32_t waiting, last; /* operations: index + 1 in the circle */
	uint32_t state;         /* enum join_state */
};

/* Beside the entries, so that a search stays within a line or two. */
struct join_key {
	uint32_t id;
	uint32_t stamp; /* when it was taken; 0: never */
};

/* Of an operation that waits. */
struct join_link {
	uint32_t next;  /* of the same entry, index + 1 */
	uint32_t entry; /* index + 1; 0: it waits no longer */
};
_Static_assert(sizeof(struct join_entry) == 64, "an entry is one cache line");

struct join_table {
	struct join_key *keys; /* of the entries */
	struct join_entry *entries;
	struct record *waiting;
	struct join_link *links; /* beside waiting */
	uint64_t put;            /* operations that ever waited */
	uint32_t stamp;
};

int join_table_init(struct join_table *table); /* 0 or -ENOMEM */
void join_table_release(struct join_table *table);

/* The entry of an id, or NULL. */
static inline struct join_entry *join_table_find(
	const struct join_table *table, uint32_t correlation)
{
	for (uint32_t i = 0; i < JOIN_PROBES; i++) {
		uint32_t at = (correlation + i) & (JOIN_ENTRIES - 1);
		if (table->keys[at].id == correlation && table->keys[at].stamp != 0)
			return &table->entries[at];
	}
	return NULL;
}

/* A place for an id that has none: the caller empties it of what it held, then takes it. */
struct join_entry *join_table_place(struct join_table *table, uint32_t correlation);
void join_table_take(struct join_table *table, struct join_entry *entry, uint32_t correlation);

/* The entry whose operation is in the way of the next one to wait; NULL: none is. */
struct join_entry *join_table_oldest(struct join_table *table);

/* An operation waits with an entry; room was made. */
void join_table_wait(
	struct join_table *table, struct join_entry *entry, const struct record *record);

/* Take the first operation that waits with an entry; false when none does. */
bool join_table_next(struct join_table *table, struct join_entry *entry, struct record *ret_record);

#endif
