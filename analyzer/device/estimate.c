/* SPDX-License-Identifier: MIT */
#include "analyzer/device/estimate.h"

#define SHORTEST_NS 100.0
#define LONGEST_NS  60e9

uint32_t estimate_find(struct estimates *estimates, uint64_t key, float guess_ns)
{
	const uint32_t slot_count = 2 * ESTIMATE_LIMIT;
	uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 40) & (slot_count - 1);
	if (estimates->count == 0) {
		estimates->items[0] = (struct estimate){.ns = ESTIMATE_KERNEL_NS};
		estimates->count = 1;
	}
	for (; estimates->slots[at] != 0; at = (at + 1) & (slot_count - 1))
		if (estimates->items[estimates->slots[at] - 1].key == key)
			return estimates->slots[at] - 1u;
	if (estimates->count == ESTIMATE_LIMIT)
		return 0;
	estimates->items[estimates->count] = (struct estimate){.key = key, .ns = guess_ns};
	estimates->slots[at] = (uint16_t)(estimates->count + 1);
	return estimates->count++;
}

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
