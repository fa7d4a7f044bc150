/* SPDX-License-Identifier: MIT */
#include "analyzer/steps/phase.h"

const char *const phase_names[PHASE_COUNT] = {
	[PHASE_NONE] = "none",
	[PHASE_EVALUATION] = "evaluation",
	[PHASE_CHECKPOINT] = "checkpoint",
	[PHASE_STOPPED] = "stopped",
	[PHASE_OFF] = "recording off",
	[PHASE_BETWEEN] = "between the ranges",
};

uint32_t phases_find(struct phases *phases, enum phase phase, uint32_t place)
{
	for (uint32_t i = 0; i < phases->count; i++)
		if (phases->items[i].phase == phase && phases->items[i].place == place)
			return i;
	if (phases->count == PHASE_LIMIT)
		return PHASE_LIMIT - 1;
	phases->items[phases->count] = (struct phase_sum){.phase = phase, .place = place};
	return phases->count++;
}

void phases_add(struct phases *phases, uint32_t index, uint64_t step, uint64_t ns)
{
	struct phase_sum *sum = &phases->items[index];
	/* an evaluation in several parts is one, where its first part is */
	for (uint32_t i = 0; i < phases->count && sum->last != step; i++)
		if (phases->items[i].phase == sum->phase && phases->items[i].count > 0 &&
			phases->items[i].last == step)
			sum = &phases->items[i];
	sum->ns += ns;
	if (sum->count > 0 && sum->last == step)
		return;
	if (sum->count < PHASE_STEPS)
		sum->steps[sum->count] = step;
	sum->count++;
	sum->last = step;
}

void phases_restart(struct phases *phases)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < phases->count; i++)
		if (phases->items[i].phase == PHASE_STOPPED || phases->items[i].phase == PHASE_OFF)
			phases->items[kept++] = phases->items[i];
	phases->count = kept;
}
