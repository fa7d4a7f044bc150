/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/compiled/compiled.h"
#include "analyzer/names/flops.h"
#include "analyzer/pipeline/pipeline.h"
#include "analyzer/tables/cells.h"
#include "analyzer/tables/fill.h"
#include "analyzer/tables/store.h"
#include "analyzer/tables/tables.h"
#include "analyzer/tables/view.h"

static struct tables_row *find(
	struct tables *tables, enum tables_id id, const uint64_t key[TABLES_KEY])
{
	return tables_set_find(&tables->sets[id], id, key);
}

static int count_op(struct tables_row *row, const struct record *op, uint64_t self_ns)
{
	row->count++;
	int err = tables_hist_add(&row->hists[OPERATOR_SELF], self_ns);
	return err < 0 ? err
		       : tables_hist_add(&row->hists[OPERATOR_TOTAL],
				 op->end > op->begin ? op->end - op->begin : 0);
}

/* The row that gets what the device did: that of its shape, with its own behind it, or its own. */
static int count_shape(struct tables *tables, const struct record *op, uint64_t self_ns,
	struct tables_row *whole, struct tables_row **ret_row)
{
	const uint64_t key[TABLES_KEY] = {op->name, record_OP_shapes(op)};
	*ret_row = whole;
	if (key[1] == 0 || (tables->wanted >> TABLES_OPERATORS_BY_SHAPE & 1) == 0)
		return 0;
	struct tables_row *row = find(tables, TABLES_OPERATORS_BY_SHAPE, key);
	if (row == NULL)
		return -ENOMEM;
	if (!row->others) {
		row->whole = whole;
		*ret_row = row;
	}
	return count_op(row, op, self_ns);
}

int operators_end(struct tables *tables, uint32_t thread, const struct record *op, uint64_t self_ns)
{
	const uint64_t key[TABLES_KEY] = {op->name};
	struct tables_row *row = find(tables, TABLES_OPERATORS, key), *worked = row;
	if (row == NULL)
		return -ENOMEM;
	int err = count_op(row, op, self_ns);
	if (err == 0)
		err = count_shape(tables, op, self_ns, row, &worked);
	if (err == 0)
		err = ranges_link(tables, thread, op, row);
	return err < 0 ? err : beneath_op(tables, thread, op, worked);
}

const char *operators_label(const struct tables_source *source, uint64_t id)
{
	if (id >= KEY_OPERATOR_NONE)
		return id == KEY_OPERATOR_NONE   ? "(no operator)"
		       : id == KEY_OPERATOR_GONE ? "(operator not known)"
						 : TABLES_OTHERS;
	const char *text = lookup_text(source->lookup, (uint32_t)id);
	return text == NULL || text[0] == '\0' ? "(operator without a name)" : text;
}

const char *operators_inputs(const struct tables_source *source, const struct tables_row *row)
{
	const char *text = lookup_text(source->lookup, (uint32_t)row->key[1]);
	return text == NULL ? "" : text;
}

/* Their times, and those of the device where they are known. */
static void fill_operator_times(struct fill *fill, bool measured)
{
	static const struct tables_hist none;
	const struct tables_row *row = fill->row;
	fill_add_share(fill, row->hists[OPERATOR_SELF].sum, fill->whole_ns);
	fill_add(fill, row->hists[OPERATOR_SELF].sum);
	fill_add(fill, row->hists[OPERATOR_TOTAL].sum);
	fill_add(fill, row->count);
	fill_add_spread(fill, &row->hists[OPERATOR_TOTAL]);
	fill_add_if(fill, measured, row->sum_ns);
	fill_add_if(fill, measured, row->hists[OPERATOR_DEVICE].sum);
	fill_add_spread(fill, measured ? &row->hists[OPERATOR_DEVICE] : &none);
}

/* What the GPU did for those that did not fit is only in the table of operators. */
void operators_fill_shape(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const char *name = tables_row_label(fill->source, TABLES_OPERATORS_BY_SHAPE, row);
	const char *inputs = tables_row_second(fill->source, TABLES_OPERATORS_BY_SHAPE, row);
	uint64_t flops = 0;
	fill_operator_times(fill, tables_measured(fill->source->tables) && !row->others);
	bool known = !row->others && name != NULL && inputs != NULL &&
		     flops_of(name, inputs, &flops) &&
		     !__builtin_mul_overflow(flops, row->count, &flops);
	fill_add_if(fill, known, flops);
	fill_add_text(fill, name);
	fill_add_text(fill, inputs);
}

void operators_fill(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	bool measured = tables_measured(fill->source->tables);
	fill_operator_times(fill, measured);
	fill_add_backward(
		fill, &row->hists[OPERATOR_BACKWARD], &row->hists[OPERATOR_BEHIND], measured);
	bool behind = row->forward != 0 && !row->mixed && !row->others;
	fill_add_text(fill, behind ? operators_label(fill->source, row->forward) : NULL);
	fill_add_text(fill, tables_row_label(fill->source, TABLES_OPERATORS, row));
}

void operators_fill_work(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const struct tables_hist *times = &row->hists[0];
	fill_add_share(fill, times->sum, fill->whole_ns);
	fill_add_share(fill, times->sum, fill->group_ns);
	fill_add(fill, times->sum);
	fill_add(fill, row->count);
	fill_add_spread(fill, times);
	fill_add_text(fill, tables_row_label(fill->source, TABLES_OPERATOR_KERNELS, row));
	fill_add_text(fill, tables_row_second(fill->source, TABLES_OPERATOR_KERNELS, row));
}

static void fill_compiled(
	struct fill *fill, const struct compiled *regions, const struct compiled_frame *frame)
{
	const struct lookup *lookup = fill->source->lookup;
	const struct meta_PLACE *place =
		frame->place != 0 ? lookup_place(lookup, frame->place) : NULL;
	bool user = place != NULL && place->user_file != 0;
	uint64_t pairs, line = place == NULL ? 0 : user ? place->user_line : place->line;
	uint32_t texts[] = {0, 0};
	if (place != NULL) {
		texts[0] = (uint32_t)(user ? place->user_function : place->function);
		texts[1] = (uint32_t)(user ? place->user_file : place->file);
	}
	unsigned breaks = compiled_breaks_of(regions, frame->id, &pairs);
	fill_add(fill, frame->id);
	fill_add(fill, frame->ns);
	fill_add(fill, frame->calls);
	fill_add(fill, frame->ns / frame->calls);
	fill_add(fill, compiled_count(frame->seen));
	fill_add(fill, frame->last);
	fill_add(fill, breaks);
	fill_add(fill, pairs);
	fill_add_if(fill, frame->around != 0, frame->around - 1);
	fill_add_text(fill, texts[0] != 0 ? lookup_text(lookup, texts[0]) : NULL);
	fill_add_if(fill, line > 0, line);
	fill_add_text(fill, texts[1] != 0 ? lookup_text(lookup, texts[1]) : NULL);
}

static int by_frame(const void *left, const void *right)
{
	const struct compiled_frame *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

int operators_rows_compiled(struct tables_view *view, const struct tables_source *source)
{
	const struct compiled *regions = source->tables->regions;
	size_t count = regions == NULL ? 0 : regions->frames.count;
	struct compiled_frame *frames = calloc(count + 1, sizeof(*frames));
	view->cells = calloc(count * view->column_count + 1, sizeof(*view->cells));
	int err = frames == NULL || view->cells == NULL ? -ENOMEM : 0;
	if (err == 0 && count > 0) {
		memcpy(frames, regions->frames.items, count * sizeof(*frames));
		qsort(frames, count, sizeof(*frames), by_frame);
	}
	struct fill fill = {.next = view->cells, .source = source};
	for (size_t i = 0; i < count && err == 0; i++)
		fill_compiled(&fill, regions, &frames[i]);
	view->rows = err == 0 ? count : 0;
	free(frames);
	return err;
}

static void fill_stage(struct fill *fill, const struct pipeline_stage *stage)
{
	fill_add(fill, stage->number);
	fill_add(fill, stage->level);
	fill_add(fill, stage->capacity);
	fill_add(fill, stage->rows);
	fill_add(fill, stage->empty);
	fill_add_share(fill, stage->empty, stage->rows);
	fill_add_share(fill, stage->queued, stage->rows * stage->capacity);
	fill_add(fill, stage->waited_ns);
	fill_add_share(fill, stage->waited_ns, stage->span_ns);
	fill_add_text(fill, lookup_text(fill->source->lookup, stage->name));
}

int operators_rows_pipeline(struct tables_view *view, const struct tables_source *source)
{
	const struct pipeline *pipeline = source->tables->pipeline;
	size_t count = pipeline == NULL ? 0 : pipeline->count;
	view->cells = calloc(count * view->column_count + 1, sizeof(*view->cells));
	if (view->cells == NULL)
		return -ENOMEM;
	struct fill fill = {.next = view->cells, .source = source};
	for (size_t i = 0; i < count; i++)
		fill_stage(&fill, &pipeline->stages[i]);
	view->rows = count;
	return 0;
}
