/* SPDX-License-Identifier: MIT */
#include "analyzer/device/estimate.h"

#include "collector/base/hash.h"

#define SHORTEST_NS 100.0
#define LONGEST_NS  60e9

void estimates_release(struct estimates *estimates)
{
	slots_release(&estimates->slots);
}

uint32_t estimate_search(struct estimates *estimates, uint64_t key, float guess_ns)
{
	const uint32_t hash = (uint32_t)(hash_word(key) >> 32);
	uint32_t at = slots_begin(&estimates->slots, hash), item;
	while ((item = slots_match(&estimates->slots, hash, &at)) != SLOTS_NONE)
		if (estimates->items[item].key == key)
			return item;
	/* what comes when the table is full shares the first entry, so it is of no key */
	if (estimates->count == 0) {
		estimates->items[0] = (struct estimate){.ns = ESTIMATE_KERNEL_NS};
		estimates->count = 1;
	}
	if (estimates->count == ESTIMATE_LIMIT ||
		slots_add(&estimates->slots, hash, estimates->count) < 0)
		return 0;
	estimates->items[estimates->count] = (struct estimate){.key = key, .ns = guess_ns};
	return estimates->count++;
}

/* Kernels of one name differ in length: a measured time moves the estimate by so much. */
#define MEASURED_SHARE 0.125

static void move(struct estimate *estimate, double ns, double share)
{
	double value = estimate->ns + (ns - estimate->ns) * share;
	if (value < SHORTEST_NS)
		value = SHORTEST_NS;
	estimate->ns = (float)(value < LONGEST_NS ? value : LONGEST_NS);
}

void estimate_measure(struct estimates *estimates, uint32_t index, double ns)
{
	struct estimate *estimate = &estimates->items[index];
	move(estimate, ns, estimate->measured ? MEASURED_SHARE : 1);
	estimate->measured = true;
}

void estimate_learn(struct estimates *estimates, uint32_t index, double ns, double share)
{
	if (!estimates->items[index].measured)
		move(&estimates->items[index], ns, share);
}
