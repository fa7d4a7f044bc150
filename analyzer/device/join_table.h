/* SPDX-License-Identifier: MIT */
/*
 * What is known by correlation id: the interval that the device side's interface reports
 * for a call, the call of ours that it belongs to once that is known, and the
 * operations that came before either. Part of join.h.
 *
 * An id has an entry from its first record on; entries are named by their index, found by a hash
 * of the id, and used again in the order in which they were taken. So the last JOIN_ENTRIES ids
 * are known however far apart they are. What is still waited for keeps its entry for another
 * round; where much is, the table grows up to JOIN_ENTRIES_MOST, and only then the oldest makes
 * room. An id is 32 bits wide and comes again in the end: what was known of it is long forgotten
 * by then.
 *
 * What waits with an entry is kept elsewhere (join_wait.h). Not thread-safe.
 */
#ifndef ANALYZER_JOIN_TABLE_H
#define ANALYZER_JOIN_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#define JOIN_ENTRIES      65536u  /* power of two */
#define JOIN_ENTRIES_MOST 262144u /* power of two */
#define JOIN_NOWHERE      UINT32_MAX

enum join_state {
	JOIN_EMPTY,
	JOIN_OPERATIONS, /* operations alone */
	JOIN_API,        /* the interval is known, the call is not */
	JOIN_CALLED,     /* the call is known */
	JOIN_UNCALLED,   /* there is no such call */
	JOIN_FORGOTTEN,  /* the calls of that time are forgotten */
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

struct join_table {
	struct join_entry *entries;
	uint8_t *states;      /* of the entries: enum join_state */
	uint32_t *heads;      /* by hash: the newest entry (index + 1; 0: none) */
	uint32_t *chain;      /* of the entries: the next older one of the same hash, likewise */
	uint32_t entry_count; /* power of two, of heads too */
	uint32_t oldest;      /* entry to be used next, unless it is waited for */
	uint32_t guess;       /* entry behind the last one found */
	uint32_t newest_id;
};

int join_table_init(struct join_table *table); /* 0 or -ENOMEM */
void join_table_release(struct join_table *table);

/* Ids that follow each other are side by side in memory; those far apart use the high bits too. */
static inline uint32_t join_table_hash(const struct join_table *table, uint32_t correlation)
{
	return (correlation ^ correlation >> 8 ^ correlation >> 16) & (table->entry_count - 1);
}

/* The entry of an id by its hash, or JOIN_NOWHERE. */
uint32_t join_table_search(const struct join_table *table, uint32_t correlation);

/*
 * The entry of an id, or JOIN_NOWHERE. Records come in the order of ids but for a few: where that
 * holds an id is new or has the entry behind the last one found, and is not searched for.
 */
static inline uint32_t join_table_find(struct join_table *table, uint32_t correlation)
{
	uint32_t at = table->guess;
	if ((int32_t)(correlation - table->newest_id) > 0)
		return JOIN_NOWHERE;
	if (table->entries[at].id != correlation || table->states[at] == JOIN_EMPTY)
		at = join_table_search(table, correlation);
	table->guess = (at + 1) & (table->entry_count - 1);
	return at;
}

/* Operations wait with the entry. */
static inline bool join_table_waits(const struct join_table *table, uint32_t at)
{
	unsigned state = table->states[at];
	return state != JOIN_EMPTY && state != JOIN_CALLED && table->entries[at].last != 0;
}

/* Some that waited were given up (join_wait.h). */
static inline bool join_table_has_early(const struct join_table *table, uint32_t at)
{
	unsigned state = table->states[at];
	return state != JOIN_EMPTY && state != JOIN_CALLED && table->entries[at].early != 0;
}

/* Something is still to be told to the entry, or about it. */
static inline bool join_table_is_open(const struct join_table *table, uint32_t at)
{
	return table->states[at] == JOIN_API || join_table_waits(table, at);
}

/* The oldest entry that is not open, or that is none of many that are; it is the oldest then. */
uint32_t join_table_choose(struct join_table *table);

/* No longer found by its id; for join_table_take(). */
static inline void join_table_unlink(struct join_table *table, uint32_t at)
{
	uint32_t *link = &table->heads[join_table_hash(table, table->entries[at].id)];
	while (*link != at + 1)
		link = &table->chain[*link - 1];
	*link = table->chain[at];
}

/* Give the oldest entry, which the caller has emptied of what it held, to a new id. */
static inline uint32_t join_table_take(struct join_table *table, uint32_t correlation)
{
	uint32_t at = table->oldest;
	uint32_t *head = &table->heads[join_table_hash(table, correlation)];
	if (table->states[at] != JOIN_EMPTY)
		join_table_unlink(table, at);
	table->states[at] = JOIN_OPERATIONS;
	table->entries[at] = (struct join_entry){.id = correlation};
	table->chain[at] = *head;
	*head = at + 1;
	table->oldest = (at + 1) & (table->entry_count - 1);
	if ((int32_t)(correlation - table->newest_id) > 0)
		table->newest_id = correlation;
	return at;
}

#endif
