/* SPDX-License-Identifier: MIT */
#include "analyzer/stages/stages.h"

#include <string.h>

const char *const stage_names[STAGE_COUNT] = {
	[STAGE_LOADING] = "loading",
	[STAGE_FORWARD] = "forward",
	[STAGE_BACKWARD] = "backward",
	[STAGE_OPTIMIZER] = "optimizer",
	[STAGE_ZERO_GRAD] = "zero_grad",
};

static unsigned put(const struct stages *stages, enum stage stage, uint64_t begin_ns,
	uint64_t end_ns, struct stage_span *ret_span)
{
	*ret_span = (struct stage_span){
		.stage = stage, .thread = stages->thread, .begin_ns = begin_ns, .end_ns = end_ns};
	return end_ns > begin_ns;
}

/* The pass is over: what was before it was the forward pass. */
static unsigned end_pass(struct stages *stages, struct stage_span *ret_spans)
{
	unsigned count = 0;
	if (stages->backward_end == 0)
		return 0;
	if (stages->work_ns != 0) {
		count +=
			put(stages, STAGE_FORWARD, stages->work_ns, stages->backward_ns, ret_spans);
		memcpy(ret_spans->holes, stages->holes, sizeof(stages->holes));
		ret_spans->hole_count = stages->hole_count;
	}
	stages->hole_count = 0;
	count += put(stages, STAGE_BACKWARD, stages->backward_ns, stages->backward_end,
		&ret_spans[count]);
	stages->at_ns = stages->backward_end;
	stages->work_ns = stages->next_ns;
	stages->next_ns = stages->backward_end = 0;
	return count;
}

/* What is inside of an operator ends before it, so the first work may turn out to be earlier. */
static void work(struct stages *stages, uint64_t begin_ns)
{
	uint64_t *first = stages->backward_end != 0 ? &stages->next_ns : &stages->work_ns;
	uint64_t since_ns = stages->backward_end != 0 ? stages->backward_end : stages->at_ns;
	if (begin_ns >= since_ns && (*first == 0 || begin_ns < *first))
		*first = begin_ns;
}

static unsigned backward(
	struct stages *stages, uint64_t begin_ns, uint64_t end_ns, struct stage_span *ret_spans)
{
	unsigned count = 0;
	bool goes_on =
		stages->backward_end != 0 && (stages->next_ns == 0 || begin_ns <= stages->next_ns);
	if (!goes_on)
		count = end_pass(stages, ret_spans);
	if (stages->backward_end == 0 || begin_ns < stages->backward_ns)
		stages->backward_ns = begin_ns;
	if (stages->backward_end == 0 && stages->work_ns >= begin_ns)
		stages->work_ns = 0; /* it was inside of this function */
	if (end_ns > stages->backward_end)
		stages->backward_end = end_ns;
	stages->next_ns = 0;
	return count;
}

/* A range of the framework that is a stage itself. */
static unsigned range(struct stages *stages, enum stage stage, uint64_t begin_ns, uint64_t end_ns,
	struct stage_span *ret_spans)
{
	/* work inside of it is no forward pass */
	uint64_t *first = stages->backward_end != 0 ? &stages->next_ns : &stages->work_ns;
	if (*first >= begin_ns)
		*first = 0;
	unsigned count = end_pass(stages, ret_spans);
	count += put(stages, stage, begin_ns, end_ns, &ret_spans[count]);
	if (stage == STAGE_ZERO_GRAD && stages->work_ns != 0 && stages->hole_count < STAGE_HOLES) {
		stages->holes[stages->hole_count++] = (struct stage_hole){begin_ns, end_ns};
		return count;
	}
	stages->at_ns = end_ns;
	stages->work_ns = 0;
	stages->hole_count = 0;
	return count;
}

/* Whether a record of the thread is one of the training thread. */
static bool is_ours(struct stages *stages, enum stage_class class, uint32_t thread)
{
	bool steps = class == STAGE_IS_OPTIMIZER;
	if (steps && stages->stepped && thread != stages->thread)
		stages->crowded = true;
	if (steps && !stages->stepped && stages->known && thread != stages->thread)
		*stages = (struct stages){0};
	if (!stages->known && (steps || class == STAGE_IS_LOADING || class == STAGE_IS_ZERO_GRAD)) {
		stages->known = true;
		stages->thread = thread;
	}
	stages->stepped |= steps && stages->known;
	return stages->known && thread == stages->thread;
}

unsigned stages_add(struct stages *stages, enum stage_class class, uint32_t thread,
	uint64_t begin_ns, uint64_t end_ns, struct stage_span ret_spans[STAGES_MOST])
{
	bool ours = is_ours(stages, class, thread);
	if (!stages->known || (!ours && (class != STAGE_IS_BACKWARD || stages->crowded)))
		return 0;
	switch (class) {
	case STAGE_IS_WORK:
		work(stages, begin_ns);
		return 0;
	case STAGE_IS_BACKWARD:
		return backward(stages, begin_ns, end_ns, ret_spans);
	case STAGE_IS_LOADING:
		return range(stages, STAGE_LOADING, begin_ns, end_ns, ret_spans);
	case STAGE_IS_OPTIMIZER:
		return range(stages, STAGE_OPTIMIZER, begin_ns, end_ns, ret_spans);
	case STAGE_IS_ZERO_GRAD:
		return range(stages, STAGE_ZERO_GRAD, begin_ns, end_ns, ret_spans);
	default:
		return 0;
	}
}

unsigned stages_finish(struct stages *stages, struct stage_span ret_spans[STAGES_MOST])
{
	return end_pass(stages, ret_spans);
}
