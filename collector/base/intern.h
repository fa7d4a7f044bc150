/* SPDX-License-Identifier: MIT */
/*
 * Equal bytes get equal ids: a table that any thread, also a signal handler, may ask and
 * extend at any time. There is no lock and no waiting; memory comes from mmap only,
 * in steps, and is bounded. Nothing is ever removed, so what was found stays valid.
 *
 * Slots lie in levels of growing size. A text has a fixed sequence of slots, a few
 * per level; it is put into the first empty one with a compare-and-swap, so two
 * threads that bring the same text at once meet there and one of them wins; the
 * other's id stays unused. Where the bytes are kept is the owner's business: its
 * store function copies them and publishes the place with intern_publish().
 */
#ifndef COLLECTOR_BASE_INTERN_H
#define COLLECTOR_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERN_LEVELS        4u
#define INTERN_ID_LIMIT      (1u << 20)
#define INTERN_BLOCK_ENTRIES 1024u
#define INTERN_BLOCKS        (INTERN_ID_LIMIT / INTERN_BLOCK_ENTRIES)

/* Where the bytes of an id are. */
struct intern_entry {
	const void *bytes; /* published last; NULL: not there */
	uint32_t size;
};

/* Copy the bytes for id and call intern_publish(entry, ...). False: no room. */
typedef bool intern_store(uint32_t id, const void *bytes, size_t size, struct intern_entry *entry);

/* All zeros is an empty one. */
struct intern {
	uint64_t *levels[INTERN_LEVELS]; /* hash << 32 | id, 0: empty */
	struct intern_entry *blocks[INTERN_BLOCKS];
	uint32_t last_id;
};

/*
 * Id of the bytes, from 1; 0 when there is no room. size may be 0 only with other equal empties.
 * store is the same for all of a table.
 */
uint32_t intern_id(struct intern *table, intern_store *store, const void *bytes, size_t size);

/* Bytes of an id, or NULL when there is no such id. Valid for ever. */
const void *intern_bytes(const struct intern *table, uint32_t id, size_t *ret_size);

/* Highest id ever given out; some below it may be unused. */
uint32_t intern_last_id(const struct intern *table);

/* For store functions: the bytes are in place. */
static inline void intern_publish(struct intern_entry *entry, const void *bytes, size_t size)
{
	entry->size = (uint32_t)size;
	__atomic_store_n(&entry->bytes, bytes, __ATOMIC_RELEASE);
}

/* A 64-bit hash, the same in every process. */
uint64_t intern_hash(const void *bytes, size_t size);

#endif
