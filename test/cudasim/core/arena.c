/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE        4096u
#define LEAST_RANGE (1ull << 28)

static int reserve(struct arena *arena)
{
	if (arena->base)
		return 0;
	void *base;
	/* under valgrind there is less to reserve */
	while ((base = mmap(NULL, arena->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) == MAP_FAILED &&
		arena->size > LEAST_RANGE)
		arena->size /= 2;
	if (base == MAP_FAILED)
		return -1;
	(void)madvise(base, arena->size, MADV_DONTDUMP);
	__atomic_store_n(&arena->base, base, __ATOMIC_RELEASE);
	return 0;
}

/* Index of the first block whose address is above the given one. */
static size_t upper(const struct arena *arena, const char *address)
{
	size_t low = 0, high = arena->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (arena->blocks[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The lowest gap of that size: where in it the block begins and before which block it lies. */
static char *find_gap(const struct arena *arena, size_t bytes, size_t align, size_t *ret_index)
{
	const char *begin = arena->base;
	for (size_t i = 0; i <= arena->count; i++) {
		const char *end =
			i < arena->count ? arena->blocks[i].address : arena->base + arena->size;
		char *aligned = (char *)(((uintptr_t)begin + align - 1) & ~(uintptr_t)(align - 1));
		if (aligned <= end && (size_t)(end - aligned) >= bytes) {
			*ret_index = i;
			return aligned;
		}
		if (i < arena->count)
			begin = end + arena->blocks[i].bytes;
	}
	return NULL;
}

static int grow(struct arena *arena)
{
	if (arena->count < arena->capacity)
		return 0;
	size_t capacity = arena->capacity ? arena->capacity * 2 : 64;
	struct arena_block *blocks = realloc(arena->blocks, capacity * sizeof(*blocks));
	if (!blocks)
		return -1;
	arena->blocks = blocks;
	arena->capacity = capacity;
	return 0;
}

char *arena_alloc(struct arena *arena, size_t bytes, uint32_t flags)
{
	return arena_alloc_aligned(arena, bytes, ARENA_ALIGN, flags);
}

char *arena_alloc_aligned(struct arena *arena, size_t bytes, size_t align, uint32_t flags)
{
	size_t rounded = (bytes + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	size_t index;
	if (rounded < bytes || arena->used + rounded > arena->limit || reserve(arena) ||
		grow(arena))
		return NULL;
	if (rounded == 0)
		rounded = ARENA_ALIGN;
	char *address = find_gap(arena, rounded, align, &index);
	if (!address)
		return NULL;
	memmove(&arena->blocks[index + 1], &arena->blocks[index],
		(arena->count - index) * sizeof(*arena->blocks));
	arena->blocks[index] = (struct arena_block){address, rounded, bytes, flags};
	arena->count++;
	arena->used += rounded;
	return address;
}

const struct arena_block *arena_find(const struct arena *arena, const void *address)
{
	size_t index = upper(arena, address);
	if (index == 0)
		return NULL;
	const struct arena_block *block = &arena->blocks[index - 1];
	return (const char *)address < block->address + block->bytes ? block : NULL;
}

/* Gives whole pages back and clears the rest, which other blocks' pages hold. */
static void clear(char *address, size_t bytes)
{
	char *first = (char *)(((uintptr_t)address + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
	char *last = (char *)((uintptr_t)(address + bytes) & ~(uintptr_t)(PAGE - 1));
	if (first >= last) {
		memset(address, 0, bytes);
		return;
	}
	memset(address, 0, (size_t)(first - address));
	memset(last, 0, (size_t)(address + bytes - last));
	if (madvise(first, (size_t)(last - first), MADV_DONTNEED))
		memset(first, 0, (size_t)(last - first));
}

int arena_free(struct arena *arena, const void *address)
{
	size_t index = upper(arena, address);
	if (index == 0 || arena->blocks[index - 1].address != (const char *)address)
		return -1;
	struct arena_block block = arena->blocks[--index];
	arena->count--;
	memmove(&arena->blocks[index], &arena->blocks[index + 1],
		(arena->count - index) * sizeof(*arena->blocks));
	arena->used -= block.bytes;
	clear(block.address, block.bytes);
	return 0;
}
