/* SPDX-License-Identifier: MIT */
#include "collector/base/intern.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/base/hash.h"

#define PROBES 8u

/* The first level fits in sixteen pages, so that a small program touches little memory. */
static const uint32_t level_slots[INTERN_LEVELS] = {1u << 13, 1u << 16, 1u << 19, 1u << 22};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = hash_mix(hash, word);
	return hash ^ (hash >> 29);
}

uint64_t intern_hash(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t hash = mix(0x51ed270b6f9ac3e5ull, size);
	uint64_t word;
	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = mix(hash, word);
	}
	word = 0;
	if (size > 0)
		memcpy(&word, at, size);
	hash = mix(hash, word);
	return mix(hash, hash >> 32);
}

/* Zeroed memory behind *pointer, made by whoever comes first. NULL: none to be had. */
static void *page_in(void **pointer, size_t bytes)
{
	void *memory = __atomic_load_n(pointer, __ATOMIC_ACQUIRE);
	if (memory != NULL)
		return memory;
	int saved = errno;
	void *mine = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mine == MAP_FAILED) {
		errno = saved;
		return NULL;
	}
	if (__atomic_compare_exchange_n(
		    pointer, &memory, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		memory = mine;
	else
		(void)munmap(mine, bytes);
	errno = saved;
	return memory;
}

static struct intern_entry *entry_of(struct intern *table, uint32_t id)
{
	struct intern_entry *block = page_in((void **)&table->blocks[id / INTERN_BLOCK_ENTRIES],
		INTERN_BLOCK_ENTRIES * sizeof(*block));
	return block == NULL ? NULL : &block[id % INTERN_BLOCK_ENTRIES];
}

struct key {
	const void *bytes;
	size_t size;
	intern_store *store;
	uint64_t hash;
};

/* A new id with the bytes stored, or 0. */
static uint32_t add(struct intern *table, const struct key *key)
{
	if (__atomic_load_n(&table->last_id, __ATOMIC_RELAXED) >= INTERN_ID_LIMIT - 1)
		return 0;
	uint32_t id = __atomic_add_fetch(&table->last_id, 1, __ATOMIC_ACQ_REL);
	if (id >= INTERN_ID_LIMIT) {
		__atomic_sub_fetch(&table->last_id, 1, __ATOMIC_ACQ_REL);
		return 0;
	}
	struct intern_entry *entry = entry_of(table, id);
	if (entry == NULL || !key->store(id, key->bytes, key->size, entry))
		return 0;
	return id;
}

static bool is_same(const struct intern *table, uint64_t slot, uint32_t tag, const struct key *key)
{
	if ((uint32_t)(slot >> 32) != tag)
		return false;
	size_t there_size;
	const void *there = intern_bytes(table, (uint32_t)slot, &there_size);
	return there != NULL && there_size == key->size &&
	       memcmp(there, key->bytes, key->size) == 0;
}

/*
 * Look at the slots of one level. True when the search is over, with the id (or 0: no room).
 * *mine is the id that was made for these bytes already, 0 so far.
 */
static bool search_level(struct intern *table, unsigned level, const struct key *key,
	uint32_t *mine, uint32_t *ret_id)
{
	uint64_t *slots = page_in(
		(void **)&table->levels[level], level_slots[level] * sizeof(table->levels[0][0]));
	*ret_id = 0;
	if (slots == NULL)
		return true;
	uint32_t tag = (uint32_t)(key->hash >> 32);
	for (unsigned i = 0; i < PROBES; i++) {
		uint64_t *slot = &slots[(key->hash + i) & (level_slots[level] - 1)];
		uint64_t there = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
		if (there == 0) {
			if (*mine == 0)
				*mine = add(table, key);
			if (*mine == 0)
				return true;
			if (__atomic_compare_exchange_n(slot, &there, (uint64_t)tag << 32 | *mine,
				    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				there = (uint64_t)tag << 32 | *mine;
		}
		if (is_same(table, there, tag, key)) {
			*ret_id = (uint32_t)there;
			return true;
		}
	}
	return false;
}

uint32_t intern_id(struct intern *table, intern_store *store, const void *bytes, size_t size)
{
	const struct key key = {bytes, size, store, intern_hash(bytes, size)};
	uint32_t mine = 0;
	uint32_t id = 0;
	for (unsigned level = 0; level < INTERN_LEVELS; level++)
		if (search_level(table, level, &key, &mine, &id))
			return id;
	return 0;
}

const void *intern_bytes(const struct intern *table, uint32_t id, size_t *ret_size)
{
	if (id == 0 || id >= INTERN_ID_LIMIT)
		return NULL;
	const struct intern_entry *block =
		__atomic_load_n(&table->blocks[id / INTERN_BLOCK_ENTRIES], __ATOMIC_ACQUIRE);
	if (block == NULL)
		return NULL;
	const struct intern_entry *entry = &block[id % INTERN_BLOCK_ENTRIES];
	const void *bytes = __atomic_load_n(&entry->bytes, __ATOMIC_ACQUIRE);
	if (bytes != NULL)
		*ret_size = entry->size;
	return bytes;
}

uint32_t intern_last_id(const struct intern *table)
{
	return __atomic_load_n(&table->last_id, __ATOMIC_ACQUIRE);
}
