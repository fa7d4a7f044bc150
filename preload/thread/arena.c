/* SPDX-License-Identifier: MIT */
#include "preload/thread/arena.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#define BLOCK_BYTES (256u << 10)
#define FIRST_BYTES (8u << 10) /* more than most starts need, which take no memory of the kernel */

struct block {
	uint64_t used;
	char data[] __attribute__((aligned(16)));
};
static struct block *current __attribute__((section(".bss.start"))); /* NULL: the first one */
static struct {
	uint64_t used;
	char data[FIRST_BYTES] __attribute__((aligned(16)));
} first;

void *arena_pages(size_t size)
{
	int saved = errno;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	return memory == MAP_FAILED ? NULL : memory;
}

void *arena_take(size_t size)
{
	size = (size + 15) & ~(size_t)15;
	while (size <= ARENA_LIMIT) {
		struct block *block = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
		uint64_t *used = block != NULL ? &block->used : &first.used;
		uint64_t at = __atomic_fetch_add(used, size, __ATOMIC_RELAXED);
		if (at + size <= (block != NULL ? BLOCK_BYTES - sizeof(*block) : FIRST_BYTES))
			return (block != NULL ? block->data : first.data) + at;
		struct block *fresh = arena_pages(BLOCK_BYTES);
		if (fresh == NULL)
			return NULL;
		if (!__atomic_compare_exchange_n(
			    &current, &block, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			(void)munmap(fresh, BLOCK_BYTES);
	}
	return NULL;
}
