/* SPDX-License-Identifier: MIT */
/*
 * A reserved range of addresses out of which blocks are handed: the memory of one device, all
 * pinned memory, all managed memory. What an address is, is then a comparison with two numbers.
 *
 * Only pages that are touched cost memory. A block is zero when it is handed out for the first
 * time and again after it was freed. All functions but arena_holds expect the state's lock.
 */
#ifndef CUDASIM_CORE_ARENA_H
#define CUDASIM_CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#define ARENA_ALIGN 512u

struct arena_block {
	char *address;
	size_t bytes;     /* rounded up to ARENA_ALIGN */
	size_t requested; /* as asked for */
	uint32_t flags;   /* of the owner */
};

struct arena {
	char *base;   /* NULL until the first block */
	size_t size;  /* of the range */
	size_t limit; /* of the sum of all blocks */
	size_t used;
	struct arena_block *blocks; /* sorted by address */
	size_t count;
	size_t capacity;
};

/* Reserves the range at its first use. Returns NULL when limit or range is exhausted. */
char *arena_alloc(struct arena *arena, size_t bytes, uint32_t flags);
/* The same at a multiple of align, a power of two from ARENA_ALIGN on. */
char *arena_alloc_aligned(struct arena *arena, size_t bytes, size_t align, uint32_t flags);

/* The block that holds address, NULL if none does. Valid until the next alloc or free. */
const struct arena_block *arena_find(const struct arena *arena, const void *address);

/* Returns 0, or -1 if no block begins at address. */
int arena_free(struct arena *arena, const void *address);

/* 1 if the address lies in the range, handed out or not. Any thread, no lock. */
static inline int arena_holds(const struct arena *arena, const void *address)
{
	const char *base = __atomic_load_n(&arena->base, __ATOMIC_ACQUIRE);
	return base && (const char *)address >= base && (const char *)address < base + arena->size;
}

#endif
