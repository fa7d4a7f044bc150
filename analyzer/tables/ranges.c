/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/feed.h"

#include <string.h>

#include "analyzer/names/opname.h"
#include "analyzer/tables/store.h"

static bool wants(const struct tables *tables, enum tables_id id)
{
	return (tables->wanted >> id & 1) != 0;
}

static uint64_t rest(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

static struct projection_sum work_of(
	const struct tables *tables, uint32_t thread, uint64_t begin_ns, uint64_t end_ns)
{
	return projection_of(&tables->projection, thread, begin_ns, end_ns);
}

static int settle(struct tables *tables, const struct tables_pending *pending)
{
	const struct stage_span *span = &pending->span;
	struct tables_row *row = pending->row;
	struct projection_sum sum =
		pending->own ? projection_of_thread(&tables->projection, span->thread,
				       span->begin_ns, span->end_ns)
			     : work_of(tables, span->thread, span->begin_ns, span->end_ns);
	for (unsigned i = 0; i < span->hole_count; i++) {
		struct projection_sum hole = work_of(
			tables, span->thread, span->holes[i].begin_ns, span->holes[i].end_ns);
		sum.operations -= hole.operations;
		sum.device_ns -= hole.device_ns;
	}
	if (sum.operations == 0)
		return 0;
	if (pending->line != NULL &&
		tables_hist_add(&pending->line->hists[LINES_BACKWARD], sum.device_ns) < 0)
		return -ENOMEM;
	if (row == NULL || pending->hist != 0)
		return row == NULL ? 0 : tables_hist_add(&row->hists[pending->hist], sum.device_ns);
	int err = tables_hist_add(&row->hists[RANGES_SPAN], rest(sum.last_ns, sum.first_ns));
	return err < 0 ? err : tables_hist_add(&row->hists[RANGES_DEVICE], sum.device_ns);
}

static int settle_oldest(struct tables *tables)
{
	return settle(tables, circle_at(&tables->pending, tables->pending.first++));
}

int ranges_wait(struct tables *tables, const struct tables_pending *pending)
{
	int err = circle_count(&tables->pending) >= RANGES_PENDING ? settle_oldest(tables) : 0;
	return err < 0 ? err : circle_push(&tables->pending, *pending);
}

int ranges_count(struct tables *tables, struct tables_row *row, const struct stage_span *span)
{
	uint64_t ns = rest(span->end_ns, span->begin_ns);
	for (unsigned i = 0; i < span->hole_count; i++)
		ns -= span->holes[i].end_ns - span->holes[i].begin_ns;
	row->count++;
	int err = tables_hist_add(&row->hists[RANGES_HOST], ns);
	const struct tables_pending pending = {.row = row, .span = *span};
	return err < 0 ? err : ranges_wait(tables, &pending);
}

static int count(struct tables *tables, enum tables_id id, const uint64_t key[TABLES_KEY],
	const struct stage_span *span)
{
	struct tables_row *row = tables_set_find(&tables->sets[id], id, key);
	return row == NULL ? -ENOMEM : ranges_count(tables, row, span);
}

int ranges_end(struct tables *tables, uint32_t thread, const struct record *range)
{
	uint64_t key[TABLES_KEY];
	if (range->kind == RECORD_RANGE &&
		projection_weigh(&tables->projection, thread, PROJECTION_MARKS) < 0)
		return -ENOMEM;
	if (range->kind == RECORD_RANGE && (record_flags(range) & RANGE_MARK) != 0)
		return 0;
	int err = overview_add(tables, OVERVIEW_RANGES, range->begin, range->end);
	if (err < 0 || !wants(tables, TABLES_RANGES))
		return err;
	key_of_range(range, key);
	const struct stage_span span = {
		.thread = thread, .begin_ns = range->begin, .end_ns = range->end};
	return count(tables, TABLES_RANGES, key, &span);
}

static int add_stages(struct tables *tables, const struct stage_span *spans, unsigned found)
{
	int err = 0;
	for (unsigned i = 0; i < found && err == 0; i++) {
		const uint64_t key[TABLES_KEY] = {spans[i].stage};
		if (tables->stages_end_ns == 0)
			tables->stages_begin_ns = spans[i].begin_ns;
		tables->stages_end_ns = spans[i].end_ns;
		err = overview_stage(tables, &spans[i]);
		if (err == 0)
			err = steps_stage(tables, &spans[i]);
		if (err == 0)
			err = count(tables, TABLES_STEP_PHASES, key, &spans[i]);
	}
	return err;
}

static enum stage_class class_of(unsigned class)
{
	return (class & OPCLASS_LOADER) != 0      ? STAGE_IS_LOADING
	       : (class & OPCLASS_OPTIMIZER) != 0 ? STAGE_IS_OPTIMIZER
	       : (class & OPCLASS_ZERO_GRAD) != 0 ? STAGE_IS_ZERO_GRAD
	       : (class & OPCLASS_BACKWARD) != 0  ? STAGE_IS_BACKWARD
						  : STAGE_IS_WORK;
}

int ranges_op(struct tables *tables, uint32_t thread, const struct record *op)
{
	bool own = record_OP_scope(op) == OP_USER_SCOPE;
	unsigned class = tables->lookup.text != NULL
				 ? opname_get(&tables->opnames, &tables->lookup, op->name)
				 : 0;
	enum stage_class stage = class_of(class);
	enum projection_role role = stage == STAGE_IS_BACKWARD ? PROJECTION_RUNS_PARTS
				    : own                      ? PROJECTION_MARKS
							       : PROJECTION_WORKS;
	struct stage_span spans[STAGES_MOST];
	int err = projection_weigh(&tables->projection, thread, role);
	if (err < 0 || (own && (class & OPCLASS_MARK) != 0))
		return err;
	if (own && stage == STAGE_IS_WORK)
		return ranges_end(tables, thread, op);
	unsigned found = stages_add(&tables->stages, stage, thread, op->begin, op->end, spans);
	return add_stages(tables, spans, found);
}

/* The function of the thread that ended last, if it waits near the end of the queue; or NULL. */
static struct tables_pending *last_function(struct tables *tables, uint32_t thread)
{
	uint64_t count = circle_count(&tables->pending);
	for (uint64_t i = 1; i <= count && i <= RANGES_NEAR; i++) {
		struct tables_pending *pending =
			circle_at(&tables->pending, tables->pending.until - i);
		if (pending->own && pending->span.thread == thread)
			return pending;
	}
	return NULL;
}

static void widen(struct tables *tables, uint32_t thread, const struct record *op)
{
	struct tables_pending *last = last_function(tables, thread);
	if (last == NULL || last->widened || op->begin > last->span.begin_ns ||
		op->end < last->span.end_ns)
		return;
	last->span.begin_ns = op->begin;
	last->span.end_ns = op->end;
	last->widened = true;
}

static int wait_for(struct tables *tables, struct tables_row *row, struct tables_row *line,
	uint32_t thread, const struct record *function)
{
	const struct tables_pending pending = {.row = row,
		.line = line,
		.hist = OPERATOR_BEHIND,
		.own = true,
		.span = {.thread = thread, .begin_ns = function->begin, .end_ns = function->end}};
	const struct tables_pending *last = last_function(tables, thread);
	bool nested = last != NULL && last->span.begin_ns >= function->begin;
	return nested ? 0 : ranges_wait(tables, &pending);
}

int ranges_link(
	struct tables *tables, uint32_t thread, const struct record *op, struct tables_row *row)
{
	struct tables_row *forward = NULL, *line = NULL;
	if (record_OP_forward(op) == 0 && record_OP_scope(op) == OP_FUNCTION)
		widen(tables, thread, op);
	const struct link *link = links_find(&tables->links, op);
	if (link == NULL)
		return links_add(&tables->links, op);
	if (row != NULL) {
		const uint64_t key[TABLES_KEY] = {link->name};
		row->mixed |= row->forward != 0 && row->forward != link->name;
		row->forward = link->name;
		forward = tables_set_find(&tables->sets[TABLES_OPERATORS], TABLES_OPERATORS, key);
		if (forward == NULL || tables_hist_add(&forward->hists[OPERATOR_BACKWARD],
					       rest(op->end, op->begin)) < 0)
			return -ENOMEM;
	}
	if (wants(tables, TABLES_LINES) && link->line != 0 &&
		(line = lines_row(tables, link->line)) == NULL)
		return -ENOMEM;
	return wait_for(tables, forward, line, thread, op);
}

/* What the thread that trains did beside all phases, from the first to the last. */
static int add_other(struct tables *tables)
{
	const uint64_t key[TABLES_KEY] = {RANGES_OTHER};
	struct tables_set *set = &tables->sets[TABLES_STEP_PHASES];
	uint64_t host_ns = rest(tables->stages_end_ns, tables->stages_begin_ns);
	struct projection_sum sum = work_of(
		tables, tables->stages.thread, tables->stages_begin_ns, tables->stages_end_ns);
	if (set->rows.count == 0)
		return 0;
	for (size_t i = 0; i < set->rows.count; i++) {
		host_ns = rest(host_ns, set->rows.items[i]->hists[RANGES_HOST].sum);
		sum.device_ns = rest(sum.device_ns, set->rows.items[i]->hists[RANGES_DEVICE].sum);
	}
	struct tables_row *row = tables_set_find(set, TABLES_STEP_PHASES, key);
	if (row == NULL)
		return -ENOMEM;
	int err = tables_hist_add(&row->hists[RANGES_HOST], host_ns);
	return err < 0 ? err : tables_hist_add(&row->hists[RANGES_DEVICE], sum.device_ns);
}

int ranges_finish(struct tables *tables)
{
	struct stage_span spans[STAGES_MOST];
	int err = add_stages(tables, spans, stages_finish(&tables->stages, spans));
	while (err == 0 && circle_count(&tables->pending) > 0)
		err = settle_oldest(tables);
	return err < 0 ? err : add_other(tables);
}
