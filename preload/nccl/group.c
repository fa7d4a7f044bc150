/* SPDX-License-Identifier: MIT */
#include "preload/nccl/group.h"

#include <stddef.h>

#include "preload/nccl/comm.h"
#include "preload/thread/threadmem.h"

#define WAITING_MOST 64u

static struct threadmem pool;
__thread struct group_own *group_own;

/* Of all threads; what does not fit has no name. */
static struct waiting {
	const void *owner; /* its own; NULL: free */
	ncclComm_t *comm;
	uint32_t name;
	int rank, ranks;
} waiting[WAITING_MOST];

/* A thread that has ended inside of its group had this memory: its variables are no more. */
static void forget_left(void)
{
	*group_own = (struct group_own){0};
	for (unsigned i = 0; i < WAITING_MOST; i++)
		if (__atomic_load_n(&waiting[i].owner, __ATOMIC_ACQUIRE) == group_own)
			__atomic_store_n(&waiting[i].owner, NULL, __ATOMIC_RELEASE);
}

bool group_thread(void)
{
	if (group_own == NULL && (group_own = threadmem_take(&pool, sizeof(*group_own))) != NULL)
		forget_left();
	return group_own != NULL;
}

void group_begin(void)
{
	group_own->depth++;
}

bool group_is_open(void)
{
	return group_own->depth > 0;
}

bool group_takes(void)
{
	if (group_own->depth == 0)
		return false;
	group_own->calls++;
	return true;
}

bool group_begins(ncclComm_t *comm, uint32_t name, int rank, int ranks)
{
	if (group_own->depth == 0)
		return false;
	for (unsigned i = 0; i < WAITING_MOST; i++) {
		const void *none = NULL;
		if (!__atomic_compare_exchange_n(&waiting[i].owner, &none, group_own, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		group_own->waiting++;
		waiting[i].comm = comm;
		waiting[i].name = name;
		waiting[i].rank = rank;
		waiting[i].ranks = ranks;
		break;
	}
	return true;
}

static void give_out(bool done)
{
	for (unsigned i = 0; i < WAITING_MOST && group_own->waiting > 0; i++) {
		struct waiting *one = &waiting[i];
		if (__atomic_load_n(&one->owner, __ATOMIC_ACQUIRE) != group_own)
			continue;
		if (done)
			comm_add(*one->comm, one->name, one->rank, one->ranks);
		group_own->waiting--;
		__atomic_store_n(&one->owner, NULL, __ATOMIC_RELEASE);
	}
}

bool group_end(bool done, uint32_t *ret_calls)
{
	if (group_own->depth == 0 || --group_own->depth > 0)
		return false;
	give_out(done);
	*ret_calls = group_own->calls;
	group_own->calls = 0;
	group_own->waiting = 0;
	return true;
}
