/* SPDX-License-Identifier: MIT */
#include "preload/nvtx/stack.h"

#include <limits.h>
#include <string.h>

_Static_assert((NVTX_DEPTH & (NVTX_DEPTH - 1)) == 0, "a power of two");

static struct nvtx_range *at(struct nvtx_stack *stack, uint64_t number)
{
	return &stack->ranges[number % NVTX_DEPTH];
}

static int level_of(uint32_t depth)
{
	return depth <= INT_MAX ? (int)depth : INT_MAX;
}

/* True when it would have been recorded. */
static bool drop_oldest(struct nvtx_stack *stack)
{
	const struct nvtx_range *oldest = at(stack, stack->bottom++);
	if (oldest->domain_slot == NVTX_DOMAINS)
		return false;
	stack->domains[oldest->domain_slot].kept--;
	return oldest->begin != 0;
}

int nvtx_stack_push(struct nvtx_stack *stack, const struct nvtx_range *range, bool *ret_lost)
{
	*ret_lost = stack->top - stack->bottom == NVTX_DEPTH && drop_oldest(stack);
	*at(stack, stack->top++) = *range;
	stack->domains[range->domain_slot].kept++;
	return level_of(stack->domains[range->domain_slot].depth++);
}

int nvtx_stack_pop(struct nvtx_stack *stack, unsigned domain_slot, struct nvtx_range *ret_range)
{
	if (stack->domains[domain_slot].depth == 0)
		return -1;
	int level = level_of(--stack->domains[domain_slot].depth);
	if (stack->domains[domain_slot].kept == 0) {
		*ret_range = (struct nvtx_range){.begin = 0};
		return level;
	}
	uint64_t number = stack->top - 1;
	while (at(stack, number)->domain_slot != domain_slot)
		number--;
	stack->domains[domain_slot].kept--;
	*ret_range = *at(stack, number);
	at(stack, number)->domain_slot = NVTX_DOMAINS;
	while (stack->top > stack->bottom && at(stack, stack->top - 1)->domain_slot == NVTX_DOMAINS)
		stack->top--;
	return level;
}

void nvtx_stack_silence(struct nvtx_stack *stack)
{
	for (uint64_t number = stack->bottom; number < stack->top; number++)
		at(stack, number)->begin = 0;
}

void nvtx_stack_clear(struct nvtx_stack *stack)
{
	stack->bottom = stack->top = 0;
	memset(stack->domains, 0, sizeof(stack->domains));
}
