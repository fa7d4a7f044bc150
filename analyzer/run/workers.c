/* SPDX-License-Identifier: MIT */
#include "analyzer/run/workers.h"

#include "collector/format/host_value.h"

static uint64_t used(const struct model *model, enum sample_metric metric)
{
	const struct model_metric *found = &model->metrics[metric];
	return found->known ? found->last - found->first : 0;
}

int workers_note(run_workers *workers, const struct process *process)
{
	const struct meta_RUN *run = reader_run(process->reader);
	const struct model *model = process->model;
	if (run == NULL || model->events == 0)
		return 0;
	const struct worker worker = {.parent = run->parent_pid,
		.begin_ns = model->first_ns,
		.end_ns = model->last_ns,
		.cpu_ns = used(model, SAMPLE_USER_NS) + used(model, SAMPLE_SYSTEM_NS)};
	return vec_push(workers, worker);
}

/* How many of them live when this one begins. */
static unsigned beside(const run_workers *workers, const struct worker *one)
{
	unsigned count = 0;
	for (size_t i = 0; i < workers->count; i++) {
		const struct worker *other = &workers->items[i];
		count += other->parent == one->parent && other->begin_ns <= one->begin_ns &&
			 other->end_ns >= one->begin_ns;
	}
	return count;
}

struct workers_summary workers_of(const run_workers *workers, uint64_t pid)
{
	struct workers_summary summary = {.busy_least = -1, .busy_most = -1};
	for (size_t i = 0; i < workers->count; i++) {
		const struct worker *worker = &workers->items[i];
		if (worker->parent != pid)
			continue;
		unsigned count = beside(workers, worker);
		summary.count = count > summary.count ? count : summary.count;
		if (worker->end_ns == worker->begin_ns)
			continue;
		double busy = (double)worker->cpu_ns / (double)(worker->end_ns - worker->begin_ns);
		if (summary.busy_least < 0 || busy < summary.busy_least)
			summary.busy_least = busy;
		if (busy > summary.busy_most)
			summary.busy_most = busy;
	}
	return summary;
}
