/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/pairs.h"

enum {
	FREE = 0,
	BUSY = 1 /* being filled or taken out; an id is never as small */
};

static struct pair {
	uint64_t id;
	struct nvtx_range range;
	uint32_t thread;
} pairs[NVTX_PAIRS];

static uint64_t started;

/* The start's number above, its slot below. */
static uint64_t id_of(uint64_t number, uint64_t slot)
{
	return number * NVTX_PAIRS + slot;
}

uint64_t nvtx_pairs_start(const struct nvtx_range *range, uint32_t thread, bool *ret_lost)
{
	uint64_t number = __atomic_add_fetch(&started, 1, __ATOMIC_RELAXED);
	*ret_lost = false;
	for (unsigned probe = 0; probe < NVTX_PAIR_PROBES; probe++) {
		uint64_t slot = (number + probe) % NVTX_PAIRS;
		struct pair *pair = &pairs[slot];
		uint64_t expected = FREE;
		if (!__atomic_compare_exchange_n(
			    &pair->id, &expected, BUSY, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			continue;
		pair->range = *range;
		pair->thread = thread;
		__atomic_store_n(&pair->id, id_of(number, slot), __ATOMIC_RELEASE);
		return id_of(number, slot);
	}
	*ret_lost = true;
	return id_of(number, number % NVTX_PAIRS);
}

bool nvtx_pairs_end(uint64_t id, struct nvtx_range *ret_range, uint32_t *ret_thread)
{
	struct pair *pair = &pairs[id % NVTX_PAIRS];
	if (id < NVTX_PAIRS || !__atomic_compare_exchange_n(&pair->id, &id, BUSY, false,
				       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	*ret_range = pair->range;
	*ret_thread = pair->thread;
	__atomic_store_n(&pair->id, FREE, __ATOMIC_RELEASE);
	return true;
}

void nvtx_pairs_clear(void)
{
	for (unsigned i = 0; i < NVTX_PAIRS; i++)
		__atomic_store_n(&pairs[i].id, FREE, __ATOMIC_RELAXED);
}
