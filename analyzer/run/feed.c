/* SPDX-License-Identifier: MIT */
#include "analyzer/run/feed.h"

static int feed_call(void *context, uint64_t step, uint32_t thread, const struct record *call)
{
	struct feed *feed = context;
	int err = feed->counts != NULL ? counts_call(feed->counts, step, call) : 0;
	if (err < 0 || feed->tables == NULL)
		return err;
	tables_step(feed->tables, step, thread);
	err = tables_cover(feed->tables, call->begin, !feed->model->bare.now);
	return err < 0 ? err : tables_call(feed->tables, call);
}

static int feed_collective(void *context, uint64_t step, uint32_t thread, const struct record *call)
{
	struct feed *feed = context;
	int err = feed->counts != NULL ? counts_collective(feed->counts, step, call) : 0;
	if (err < 0 || feed->collectives == NULL)
		return err;
	return collectives_call(feed->collectives, step, thread, call);
}

static int feed_memory(void *context, uint64_t step, const struct record *memory)
{
	struct feed *feed = context;
	(void)step;
	return tables_memory(feed->tables, memory);
}

static int feed_operation(void *context, uint64_t step, const struct record *operation)
{
	struct feed *feed = context;
	(void)step;
	int err = feed->counts != NULL ? counts_operation(feed->counts, operation) : 0;
	return err == 0 && feed->tables != NULL ? tables_device(feed->tables, operation) : err;
}

static int feed_pair(void *context, uint64_t step, uint32_t thread, const struct record *call,
	const struct record *operation)
{
	struct feed *feed = context;
	int err = 0;
	if (feed->collectives != NULL)
		err = collectives_kernel(feed->collectives, thread, call, operation);
	if (err < 0 || feed->tables == NULL)
		return err;
	tables_step(feed->tables, step, thread);
	err = tables_work(feed->tables, thread, call, operation);
	return err < 0 ? err : tables_pair(feed->tables, call, operation);
}

static int feed_range(void *context, uint64_t step, uint32_t thread, const struct record *range)
{
	struct feed *feed = context;
	(void)step;
	return tables_range(feed->tables, thread, range);
}

static int feed_op(void *context, uint64_t step, uint32_t thread, const struct record *op)
{
	struct feed *feed = context;
	bool counts = !feed->model->bare.now; /* else only some are there */
	int err = feed->counts != NULL && counts ? counts_op(feed->counts, step, op) : 0;
	return err == 0 && feed->tables != NULL ? tables_op(feed->tables, thread, op, counts) : err;
}

static void feed_cut(void *context, uint64_t step, enum step_cut cut)
{
	struct feed *feed = context;
	counts_cut(feed->counts, step, cut);
}

static void feed_step(void *context, uint64_t step, uint64_t begin_ns, uint64_t end_ns)
{
	struct feed *feed = context;
	const struct model_options *options = &feed->model->options;
	if (options->selected == NULL || options->selected(options->context, step))
		tables_end_step(feed->tables, step, begin_ns, end_ns);
}

static void feed_finish(void *context, bool tail)
{
	struct feed *feed = context;
	counts_finish(feed->counts, tail);
}

/* Tables show all that happened, also before the first step, unless steps were chosen. */
static void feed_restart(void *context)
{
	struct feed *feed = context;
	if (feed->counts != NULL)
		counts_restart(feed->counts);
	if (feed->tables != NULL)
		tables_restart(feed->tables, feed->model->options.selected != NULL);
	if (feed->collectives == NULL)
		return;
	if (feed->model->options.selected != NULL)
		collectives_restart(feed->collectives);
	else
		collectives_recount(feed->collectives);
}

struct observer feed_observer(struct feed *feed)
{
	bool counts = feed->counts != NULL, all = counts || feed->tables != NULL;
	return (struct observer){.context = feed,
		.call = all ? feed_call : NULL,
		.operation = all ? feed_operation : NULL,
		.pair = feed->tables != NULL || feed->collectives != NULL ? feed_pair : NULL,
		.range = feed->tables != NULL ? feed_range : NULL,
		.collective = feed_collective,
		.step = feed->tables != NULL ? feed_step : NULL,
		.memory = feed->tables != NULL ? feed_memory : NULL,
		.restart = feed_restart,
		.op = all ? feed_op : NULL,
		.cut = counts ? feed_cut : NULL,
		.finish = counts ? feed_finish : NULL};
}
