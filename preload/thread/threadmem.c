/* SPDX-License-Identifier: MIT */
#include "preload/thread/threadmem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/thread/arena.h"

struct threadmem_piece {
	struct threadmem_piece *next;
	uint64_t owner; /* process id << 32 | thread id */
	char memory[] __attribute__((aligned(64)));
};

/*
 * The asking thread has no piece, so one with its own id was left by another. Ids of another
 * process are those of a fork's parent: the piece may be the one that the forking thread still
 * uses.
 */
static bool is_abandoned(uint64_t owner, uint64_t self)
{
	if (owner >> 32 != self >> 32)
		return false;
	if (owner == self)
		return true;
	return syscall(SYS_tgkill, owner >> 32, owner & 0xffffffffu, 0) != 0 && errno == ESRCH;
}

static struct threadmem_piece *take_over(struct threadmem *pool, uint64_t self)
{
	struct threadmem_piece *piece = __atomic_load_n(&pool->pieces, __ATOMIC_ACQUIRE);
	for (; piece != NULL; piece = piece->next) {
		uint64_t owner = __atomic_load_n(&piece->owner, __ATOMIC_ACQUIRE);
		if (is_abandoned(owner, self) &&
			__atomic_compare_exchange_n(&piece->owner, &owner, self, false,
				__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return piece;
	}
	return NULL;
}

void *threadmem_take(struct threadmem *pool, size_t size)
{
	int saved = errno;
	uint64_t self = (uint64_t)getpid() << 32 | (uint32_t)syscall(SYS_gettid);
	struct threadmem_piece *piece = take_over(pool, self);
	if (piece == NULL) {
		piece = arena_pages(sizeof(*piece) + size);
		if (piece != NULL) {
			piece->owner = self;
			piece->next = __atomic_load_n(&pool->pieces, __ATOMIC_RELAXED);
			while (!__atomic_compare_exchange_n(&pool->pieces, &piece->next, piece,
				true, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
				;
		}
	}
	errno = saved;
	return piece == NULL ? NULL : piece->memory;
}
