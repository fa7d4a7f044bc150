/* SPDX-License-Identifier: MIT */
#include "analyzer/timeline/code.h"

void code_release(struct code *code)
{
	queue_release(&code->samples);
	queue_release(&code->past);
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
	bool making = gap == CODE_MAKING;
	struct spot *spot = spots_find(
		code->spots, code->lookup, sample->place, 0, making ? SPOT_MAKING : SPOT_CODE);
	if (step == CODE_ASIDE)
		spot->aside++;
	else
		spot_found(spot, step, SPOT_SAMPLES, 1);
	vote(&spot->stack, &spot->stack_votes, sample->stack);
	if (!making)
		vote(&spot->gap, &spot->gap_votes, gap);
}

/* The stretch at that time was accounted before: it is one of the past, or was none of it. */
static void count_late(struct code *code, const struct code_sample *sample)
{
	const struct code_stretch *past = code->past.items;
	size_t low = 0, high = code->past.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (past[middle].end <= sample->at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < code->past.count && past[low].begin <= sample->at_ns &&
		past[low].step != CODE_NO_STEP)
		count(code, sample, past[low].gap, past[low].step);
}

/* Whether a sample of another thread follows that counts instead is known now. */
static int let_go(struct code *code)
{
	const struct code_sample sample = code->held;
	code->held.at_ns = 0;
	if (sample.at_ns == 0)
		return 0;
	if (code->past.count > 0 && sample.at_ns < code->past.items[code->past.count - 1].end) {
		count_late(code, &sample);
		return 0;
	}
	if (code->samples.count >= CODE_WAITING)
		queue_drop(&code->samples, code->samples.count / 2);
	return queue_push(&code->samples, sample);
}

int code_add(struct code *code, struct code_sample sample)
{
	uint64_t held_ns = code->held.at_ns;
	bool same = held_ns != 0 && sample.at_ns < held_ns + CODE_LOOK_NS &&
		    held_ns < sample.at_ns + CODE_LOOK_NS;
	if (same && code->held.instead && !sample.instead)
		return 0;
	if (same && sample.instead && !code->held.instead)
		code->held.at_ns = 0;
	int err = let_go(code);
	code->held = sample;
	return err;
}

void code_finish(struct code *code)
{
	(void)let_go(code);
}

/* For samples that come late. */
static void keep(struct code *code, uint64_t begin, uint64_t end, uint32_t gap, uint64_t step)
{
	if (code->of_part > 0 && code->past.count > 0) {
		struct code_stretch *last = &code->past.items[code->past.count - 1];
		if (last->end == begin && last->gap == gap && last->step == step) {
			last->end = end;
			return;
		}
	}
	if (code->past.count >= CODE_PAST) {
		queue_drop(&code->past, code->past.count / 2);
		if (code->of_step > code->past.count)
			code->of_step = code->past.count;
		if (code->of_rest > code->past.count)
			code->of_rest = code->past.count;
		if (code->of_part > code->past.count)
			code->of_part = code->past.count;
	}
	if (queue_push(&code->past, (struct code_stretch){begin, end, step, gap}) < 0)
		return;
	code->of_part++;
	code->of_rest++;
	code->of_step++;
}

void code_charge(struct code *code, uint64_t begin, uint64_t end, uint32_t gap, uint64_t step)
{
	size_t done = 0;
	if (code->held.at_ns < end)
		(void)let_go(code);
	while (done < code->samples.count && code->samples.items[done].at_ns < end) {
		const struct code_sample *sample = &code->samples.items[done++];
		if (sample->at_ns >= begin && step != CODE_NO_STEP)
			count(code, sample, gap, step);
	}
	queue_drop(&code->samples, done);
	if (step != CODE_NO_STEP)
		keep(code, begin, end, gap, step);
}

void code_cut(struct code *code, enum step_cut cut)
{
	size_t others = 0;
	if (cut == CUT_ASIDE)
		others = code->of_part;
	else if (cut == CUT_ASIDE_REST)
		others = code->of_rest;
	else if (cut == CUT_ASIDE_ALL || cut == CUT_BROKEN)
		others = code->of_step;
	for (size_t i = code->past.count - others; i < code->past.count; i++)
		if (code->past.items[i].step != CODE_ASIDE)
			code->past.items[i].step = cut == CUT_BROKEN ? CODE_NO_STEP : CODE_ASIDE;
	code->of_part = 0;
	if (cut != CUT_PART && cut != CUT_ASIDE)
		code->of_rest = 0;
	if (cut != CUT_PART && cut != CUT_TAIL && !cut_leaves_parts(cut))
		code->of_step = 0;
}

void code_restart(struct code *code)
{
	queue_drop(&code->past, code->past.count);
	code->of_part = code->of_rest = code->of_step = 0;
}
