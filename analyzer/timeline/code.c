/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/code.h"

void code_release(struct code *code)
{
	queue_release(&code->samples);
}

int code_add(struct code *code, uint64_t at_ns, uint32_t place, uint32_t stack)
{
	if (code->samples.count >= CODE_WAITING)
		queue_drop(&code->samples, code->samples.count / 2);
	int err = queue_reserve(&code->samples, 1);
	if (err == 0)
		code->samples.items[code->samples.count++] =
			(struct code_sample){at_ns, place, stack};
	return err;
}

/* Boyer and Moore's: what more than half of all have is left. */
static void vote(uint32_t *kept, uint32_t *votes, uint32_t now)
{
	if (*votes == 0)
		*kept = now;
	if (*kept == now)
		++*votes;
	else
		--*votes;
}

static void count(struct code *code, const struct code_sample *sample, uint32_t gap, uint64_t step)
{
	struct spot *spot = spots_find(code->spots, code->lookup, sample->place, 0, SPOT_CODE);
	spot_found(spot, step, SPOT_SAMPLES, 1);
	vote(&spot->stack, &spot->stack_votes, sample->stack);
	vote(&spot->gap, &spot->gap_votes, gap);
}

void code_charge(struct code *code, uint64_t begin, uint64_t end, uint32_t gap, uint64_t step)
{
	size_t done = 0;
	while (done < code->samples.count && code->samples.items[done].at_ns < end) {
		const struct code_sample *sample = &code->samples.items[done++];
		if (sample->at_ns >= begin && step != CODE_NO_STEP)
			count(code, sample, gap, step);
	}
	queue_drop(&code->samples, done);
}
