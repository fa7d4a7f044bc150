/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "analyzer/tables/feed.h"
#include "analyzer/tables/fill.h"
#include "analyzer/tables/store.h"
#include "analyzer/tables/tables.h"
#include "analyzer/tables/view.h"

static uint64_t rest(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

int steps_stage(struct tables *tables, const struct stage_span *span)
{
	uint64_t at_ns = span->begin_ns;
	int err = 0;
	for (unsigned i = 0; i < span->hole_count && err == 0; i++) {
		err = trace_part(&tables->trace, span->stage, at_ns, span->holes[i].begin_ns);
		at_ns = span->holes[i].end_ns;
	}
	return err < 0 ? err : trace_part(&tables->trace, span->stage, at_ns, span->end_ns);
}

/* A step's three parts are all of it. */
static void fill_step(struct fill *fill, const struct trace_step *step)
{
	const struct tables *tables = fill->source->tables;
	const struct tables_trace *trace = &tables->trace;
	uint64_t begin_ns = fill->source->begin_ns;
	bool passes = step->forward_ns != 0 && step->backward_ns > step->forward_ns;
	bool staged = tables->stages_end_ns != 0, measured = tables_measured(tables);
	struct trace_work work = {0};
	if (step->step < trace->work.count)
		work = trace->work.items[step->step];
	fill_add(fill, step->step);
	fill_add(fill, 1);
	fill_add(fill, rest(step->begin_ns, begin_ns));
	fill_add(fill, rest(step->end_ns, step->begin_ns));
	fill_add_if(fill, passes, step->forward_ns - step->begin_ns);
	fill_add_if(fill, passes, step->backward_ns - step->forward_ns);
	fill_add_if(fill, passes, step->end_ns - step->backward_ns);
	for (unsigned i = 0; i < STAGE_COUNT; i++)
		fill_add_if(fill, staged, step->ns[i]);
	fill_add_if(fill, measured, work.device_ns);
	fill_add_if(fill, measured, work.communication_ns);
}

/* What is only counted. */
static void fill_more(struct fill *fill, const struct tables_trace *trace, size_t columns)
{
	for (size_t i = 0; i < columns; i++)
		fill->next[i] = (struct tables_cell){0};
	fill->next[1] = (struct tables_cell){.known = true, .number = trace->more_steps};
	fill->next[3] = (struct tables_cell){.known = true, .number = trace->more_ns};
	fill->next += columns;
}

/* Of the steps behind the warm-up: whole ones, or in the loader. 0 or -ENOMEM. */
static int add_costs(const struct tables_source *source, bool reader, struct tables_hist *ret_hist)
{
	const struct tables_trace *trace = &source->tables->trace;
	int err = 0;
	for (size_t i = 0; i < trace->steps.count && err == 0; i++) {
		const struct trace_step *step = &trace->steps.items[i];
		if (step->step >= source->warmup)
			err = tables_hist_add(
				ret_hist, reader ? step->ns[STAGE_LOADING]
						 : rest(step->end_ns, step->begin_ns));
	}
	return err;
}

/* Events in ns as thousandths of one in a second. */
static void fill_per_second(struct fill *fill, bool known, uint64_t count, uint64_t ns)
{
	__uint128_t rate = ns > 0 ? ((__uint128_t)count * 1000000000000 + ns / 2) / ns : 0;
	fill_add_if(fill, known && ns > 0 && rate <= UINT64_MAX, (uint64_t)rate);
}

static void fill_cost(
	struct fill *fill, const struct tables_hist *hist, uint64_t batch_ns, bool reader)
{
	fill_add(fill, hist->count);
	fill_add(fill, hist->sum);
	fill_add_spread(fill, hist);
	fill_add_share(fill, hist->sum, batch_ns);
	fill_per_second(fill, !reader, hist->count, hist->sum);
	fill_per_second(fill, !reader, 1, hist->max);
	fill_per_second(fill, !reader, 1, hist->min);
	fill_add_text(fill, reader ? "reader_cost" : "batch_cost");
}

static int make_costs(struct tables_view *view, struct fill *fill)
{
	struct tables_hist batch = {0}, reader = {0};
	int err = add_costs(fill->source, false, &batch);
	if (err == 0)
		err = add_costs(fill->source, true, &reader);
	if (err == 0 && batch.count > 0) {
		fill_cost(fill, &batch, batch.sum, false);
		if (reader.sum > 0) /* a loader was seen */
			fill_cost(fill, &reader, batch.sum, true);
		view->rows = 1 + (reader.sum > 0);
	}
	tables_hist_release(&batch);
	tables_hist_release(&reader);
	return err;
}

int steps_rows(struct tables_view *view, const struct tables_source *source)
{
	const struct tables_trace *trace = &source->tables->trace;
	bool costs = view->id == TABLES_PERF_SUMMARY;
	size_t rows = costs ? 2 : trace->steps.count + 1;
	view->cells = calloc(rows * view->column_count, sizeof(*view->cells));
	if (view->cells == NULL)
		return -ENOMEM;
	struct fill fill = {.next = view->cells, .source = source};
	if (costs)
		return make_costs(view, &fill);
	for (size_t i = 0; i < trace->steps.count; i++)
		fill_step(&fill, &trace->steps.items[i]);
	if (trace->more_steps > 0)
		fill_more(&fill, trace, view->column_count);
	view->rows = trace->steps.count + (trace->more_steps > 0);
	return 0;
}
