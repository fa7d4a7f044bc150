/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/sums/trace.h"

#include <errno.h>
#include <string.h>

void trace_release(struct tables_trace *trace)
{
	vec_release(&trace->steps);
	vec_release(&trace->parts);
	vec_release(&trace->work);
	*trace = (struct tables_trace){0};
}

int trace_step(struct tables_trace *trace, uint64_t step, uint64_t begin_ns, uint64_t end_ns)
{
	const struct trace_step fresh = {.step = step, .begin_ns = begin_ns, .end_ns = end_ns};
	if (trace->steps.count < TRACE_STEPS)
		return vec_push(&trace->steps, fresh);
	trace->more_steps++;
	trace->more_ns += end_ns > begin_ns ? end_ns - begin_ns : 0;
	return 0;
}

void trace_forget_steps(struct tables_trace *trace)
{
	trace->steps.count = 0;
	trace->work.count = 0;
	trace->more_steps = trace->more_ns = 0;
}

int trace_part(struct tables_trace *trace, enum stage stage, uint64_t begin_ns, uint64_t end_ns)
{
	const struct trace_part part = {stage, begin_ns, end_ns};
	if (begin_ns >= end_ns || trace->parts.count == TRACE_PARTS)
		return 0;
	return vec_push(&trace->parts, part);
}

int trace_work(struct tables_trace *trace, uint64_t step, uint64_t ns, bool communicates)
{
	size_t count = trace->work.count;
	if (step > TRACE_STEPS)
		return 0;
	if (step >= count) {
		if (vec_reserve(&trace->work, (size_t)step + 1) < 0)
			return -ENOMEM;
		memset(&trace->work.items[count], 0,
			(step + 1 - count) * sizeof(struct trace_work));
		trace->work.count = (size_t)step + 1;
	}
	trace->work.items[step].device_ns += ns;
	trace->work.items[step].communication_ns += communicates ? ns : 0;
	return 0;
}

/* The first step that ends behind ns. */
static size_t find(const struct tables_trace *trace, uint64_t ns)
{
	size_t low = 0, high = trace->steps.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (trace->steps.items[middle].end_ns > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void join(struct trace_step *step, const struct trace_part *part)
{
	uint64_t begin_ns = part->begin_ns > step->begin_ns ? part->begin_ns : step->begin_ns;
	uint64_t end_ns = part->end_ns < step->end_ns ? part->end_ns : step->end_ns;
	step->ns[part->stage] += end_ns - begin_ns;
	if (part->stage == STAGE_FORWARD && (step->forward_ns == 0 || begin_ns < step->forward_ns))
		step->forward_ns = begin_ns;
	if (part->stage == STAGE_BACKWARD && end_ns > step->backward_ns)
		step->backward_ns = end_ns;
}

void trace_join(struct tables_trace *trace)
{
	VEC_FOREACH (part, &trace->parts)
		for (size_t i = find(trace, part->begin_ns);
			i < trace->steps.count && trace->steps.items[i].begin_ns < part->end_ns;
			i++)
			join(&trace->steps.items[i], part);
	trace->parts.count = 0;
}
