/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/cells.h"

#include <string.h>

#include "analyzer/names/callname.h"
#include "analyzer/names/error.h"
#include "analyzer/tables/feed.h"
#include "analyzer/tables/fill.h"
#include "analyzer/tables/store.h"
#include "analyzer/tables/tables.h"
#include "analyzer/text/field_text.h"

#define SET_LABEL "[CUDA memset]"

static const char *kernel_label(const struct tables_source *source, uint64_t id)
{
	const char *text = lookup_text(source->lookup, (uint32_t)id);
	return text == NULL || text[0] == '\0' ? "(kernel without a name)" : text;
}

static const char *line_label(const struct tables_source *source, const struct tables_row *row)
{
	const char *text = lookup_text(source->lookup, key_line_file(row->key));
	return text == NULL || text[0] == '\0' ? "(no line known)" : text;
}

static const char *function_label(const struct tables_source *source, uint64_t function)
{
	enum record_kind kind = key_function_kind(function);
	if (kind != RECORD_NONE)
		return record_kinds[kind].name;
	const char *name = lookup_call(source->lookup, (uint16_t)function);
	return name == NULL || name[0] == '\0' ? "(unknown function)" : name;
}

static const char *activity_label(
	const struct tables_source *source, uint64_t kind, uint64_t detail)
{
	if (kind == RECORD_DEVICE_KERNEL)
		return kernel_label(source, detail);
	return kind == RECORD_DEVICE_SET ? SET_LABEL : callname_copy(detail);
}

const char *tables_row_second(
	const struct tables_source *source, enum tables_id id, const struct tables_row *row)
{
	if (id == TABLES_OPERATORS_BY_SHAPE && !row->others)
		return operators_inputs(source, row);
	if (id != TABLES_OPERATOR_KERNELS)
		return "";
	return row->others ? TABLES_OTHERS : activity_label(source, row->key[1], row->key[2]);
}

const char *tables_row_label(
	const struct tables_source *source, enum tables_id id, const struct tables_row *row)
{
	struct record copy;
	if (row->others)
		return TABLES_OTHERS;
	switch (id) {
	case TABLES_GPU_ACTIVITIES:
		return activity_label(source, row->key[0], row->key[1]);
	case TABLES_COPIES:
		copy = key_copy(row->key);
		return copy.kind == RECORD_DEVICE_SET ? SET_LABEL
						      : callname_copy(record_direction(&copy));
	case TABLES_KERNELS:
		return kernel_label(source, key_kernel(row->key).name);
	case TABLES_LAUNCHES:
		return kernel_label(source, row->key[1]);
	case TABLES_OPERATORS:
	case TABLES_OPERATORS_BY_SHAPE:
	case TABLES_OPERATOR_KERNELS:
		return operators_label(source, row->key[0]);
	case TABLES_RANGES:
	case TABLES_MODULES:
	case TABLES_STEP_PHASES:
		return stretch_label(source, id, row);
	case TABLES_LINES:
		return line_label(source, row);
	case TABLES_API_CALLS:
	case TABLES_FAILED_CALLS:
		return function_label(source, row->key[0]);
	default:
		return "";
	}
}

static const char *memory_name(uint64_t memory)
{
	return memory == MEMORY_UNKNOWN
		       ? NULL
		       : field_value_name(RECORD_DEVICE_COPY, "src_memory", memory);
}

static const struct tables_gpu *find_gpu(const struct tables_source *source, uint64_t id)
{
	for (size_t i = 0; i < source->gpu_count; i++)
		if (source->gpus[i].id == id)
			return &source->gpus[i];
	return NULL;
}

/* The bandwidth that such a copy could have at most; 0: not known. */
static uint64_t declared(const struct tables_source *source, const struct tables_row *row)
{
	const struct record copy = key_copy(row->key);
	const struct tables_gpu *gpu = find_gpu(source, record_device(&copy));
	if (gpu == NULL || row->others)
		return 0;
	if (copy.kind == RECORD_DEVICE_SET)
		return record_filled_memory(&copy) == MEMORY_DEVICE ? gpu->memory_bytes_per_s : 0;
	enum copy_direction direction = record_direction(&copy);
	if (direction == COPY_HOST_TO_DEVICE || direction == COPY_DEVICE_TO_HOST)
		return gpu->link_bytes_per_s;
	return direction == COPY_DEVICE_TO_DEVICE ? gpu->memory_bytes_per_s / 2 : 0;
}

static void fill_activity(struct fill *fill)
{
	static const char *const kinds[] = {"kernel", "copy", "set"};
	const struct tables_row *row = fill->row;
	fill_add_times(fill);
	fill_add(fill, row->count - row->hists[0].count);
	fill_add_text(fill, row->others ? NULL : kinds[row->key[0] - RECORD_DEVICE_KERNEL]);
	fill_add_text(fill, tables_row_label(fill->source, TABLES_GPU_ACTIVITIES, row));
}

static void fill_call(struct fill *fill)
{
	const char *label = tables_row_label(fill->source, TABLES_API_CALLS, fill->row);
	fill_add_times(fill);
	fill_add_text(fill, fill->row->others ? NULL : callname_api(label, fill->row->driver));
	fill_add_text(fill, label);
}

static void fill_kernel(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	bool known = !row->others;
	fill_add_times(fill);
	fill_add_if(fill, known, row->key[1]);
	fill_add_if(fill, known, row->key[2]);
	fill_add_if(fill, known, key_kernel_registers(row->key));
	fill_add_if(fill, known, row->key[3]);
	fill_add_text(fill, tables_row_label(fill->source, TABLES_KERNELS, row));
}

static void fill_copy(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const struct tables_hist *times = &row->hists[0], *sizes = &row->hists[1];
	const struct record copy = key_copy(row->key);
	bool known = !row->others, is_copy = known && copy.kind != RECORD_DEVICE_SET;
	uint64_t limit = declared(fill->source, row);
	fill_add(fill, times->sum);
	fill_add(fill, times->count);
	fill_add_spread(fill, times);
	fill_add(fill, sizes->sum);
	fill_add_spread(fill, sizes);
	fill_add_rate(fill, sizes->sum, times->sum);
	fill_add_if(fill, limit > 0, limit);
	const char *direction =
		field_value_name(RECORD_DEVICE_COPY, "direction", record_direction(&copy));
	fill_add_text(fill, is_copy ? direction : NULL);
	fill_add_text(fill, is_copy ? memory_name(record_src_memory(&copy)) : NULL);
	fill_add_text(fill, is_copy ? memory_name(record_dst_memory(&copy))
			    : known ? memory_name(record_filled_memory(&copy))
				    : NULL);
	fill_add_if(fill, known, record_device(&copy));
	fill_add_if(fill, is_copy && record_direction(&copy) == COPY_PEER,
		record_DEVICE_COPY_peer(&copy));
	fill_add_text(fill, tables_row_label(fill->source, TABLES_COPIES, row));
}

static void fill_failed(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const struct lookup *lookup = fill->source->lookup;
	const char *label = tables_row_label(fill->source, TABLES_FAILED_CALLS, row);
	int32_t error = (int32_t)(uint32_t)row->key[1];
	const struct meta_PLACE *place = row->place != 0 ? lookup_place(lookup, row->place) : NULL;
	bool user = place != NULL && place->user_file != 0;
	uint64_t line = place == NULL ? 0 : user ? place->user_line : place->line;
	uint64_t file = place == NULL ? 0 : user ? place->user_file : place->file;
	uint64_t begin_ns = fill->source->begin_ns;
	fill_add(fill, row->count);
	fill_add(fill, row->first_ns > begin_ns ? row->first_ns - begin_ns : 0);
	fill_add_text(fill, row->others ? NULL : callname_api(label, row->driver));
	fill_add_text(fill, label);
	fill_add_if(fill, !row->others, (uint64_t)(int64_t)error);
	fill_add_text(fill, row->others ? NULL : error_name(error, row->driver));
	fill_add_if(fill, line > 0, line);
	fill_add_text(fill, file == 0 ? NULL : lookup_text(lookup, (uint32_t)file));
}

static void fill_launch(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	fill_add(fill, row->hists[0].sum);
	fill_add(fill, row->count);
	fill_add(fill, row->hists[2].count);
	for (unsigned i = 0; i < 4; i++)
		fill_add_spread(fill, &row->hists[i]);
	fill_add_text(fill, row->others ? NULL : function_label(fill->source, row->key[0]));
	fill_add_text(fill, tables_row_label(fill->source, TABLES_LAUNCHES, row));
}

/* How often and how long, of these. */
static void fill_sums(struct fill *fill, enum lines_hist first, enum lines_hist last)
{
	for (unsigned i = first; i <= last; i++) {
		fill_add(fill, fill->row->hists[i].count);
		fill_add(fill, fill->row->hists[i].sum);
	}
}

static void fill_thread(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const struct lookup *lookup = fill->source->lookup;
	const struct meta_THREAD *thread = NULL;
	bool measured = tables_measured(fill->source->tables);
	if (lookup->thread != NULL && !row->others)
		thread = lookup->thread(lookup->context, (uint32_t)row->key[0]);
	fill_add_if(fill, thread != NULL, thread != NULL ? thread->tid : 0);
	fill_sums(fill, LINES_CALLS, LINES_OPERATORS);
	fill_add_if(fill, measured, row->hists[LINES_DEVICE].count);
	fill_add_if(fill, measured, row->hists[LINES_DEVICE].sum);
	fill_add_text(fill, row->others ? TABLES_OTHERS : thread != NULL ? thread->name : NULL);
}

static void fill_line(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const struct lookup *lookup = fill->source->lookup;
	uint32_t id = row->others ? 0 : key_line_function(row->key);
	const char *function = id == 0 ? NULL : lookup_text(lookup, id);
	const char *file = tables_row_label(fill->source, TABLES_LINES, row);
	bool named = function != NULL && function[0] != '\0', known = row->key[1] > 0;
	fill_add(fill, row->hists[LINES_CALLS].sum);
	fill_add(fill, row->hists[LINES_CALLS].count);
	fill_sums(fill, LINES_LAUNCHES, LINES_DEVICE);
	const struct tables_hist *backward = &row->hists[LINES_BACKWARD];
	fill_add_if(fill, backward->count > 0, backward->count);
	fill_add_if(fill, backward->count > 0, backward->sum);
	fill_add_text(fill, function);
	fill_add_if(fill, known, row->key[1]);
	fill_add_text(fill, key_line_file(row->key) == 0 && !row->others ? NULL : file);
	fill_add_text(fill, named && !known ? function : file);
}

static void fill_busy(struct fill *fill)
{
	uint64_t busy_ns = tables_busy_ns(fill->row->busy);
	fill_add(fill, fill->row->count);
	fill_add(fill, busy_ns);
	fill_add(fill, fill->whole_ns);
	fill_add_share(fill, busy_ns, fill->whole_ns);
	fill_add(fill, fill->row->busy->late_ns);
}

static void fill_held(struct fill *fill)
{
	const struct tables_held *held = fill->row->held;
	fill_add_if(fill, held->told, held->most[MEMORY_ALLOCATED]);
	fill_add_if(fill, held->told, held->now[MEMORY_ALLOCATED]);
	/* what it gives back to the device it does not tell before it is asked for more */
	fill_add_if(fill, held->told, held->most[MEMORY_RESERVED]);
	fill_add_if(fill, held->told, held->allocations);
	fill_add_if(fill, held->told, held->outs);
}

static void fill_steady(struct fill *fill, const struct held_takes *takes)
{
	uint64_t count, steps = fill->source->steps;
	bool known = held_after(takes, fill->source->warmup, &count);
	fill_add_if(fill, known && steps > 0, count);
}

static void fill_memory(struct fill *fill)
{
	const struct tables_held *held = fill->row->held;
	const struct tables_gpu *gpu = find_gpu(fill->source, fill->row->key[0]);
	fill_add_if(fill, !fill->row->others, fill->row->key[0]);
	fill_held(fill);
	fill_add(fill, held->retries);
	fill_add(fill, held->mallocs.count);
	fill_steady(fill, &held->mallocs);
	fill_add(fill, held->mallocs.ns);
	fill_add(fill, held->mallocs.bytes);
	fill_add(fill, held->failed);
	fill_add(fill, held->frees.count);
	fill_steady(fill, &held->frees);
	fill_add(fill, held->frees.ns);
	fill_add(fill, held->pinned.count);
	fill_steady(fill, &held->pinned);
	fill_add(fill, held->pinned.ns);
	fill_add(fill, held->pinned.bytes);
	fill_add_text(fill, fill->row->others ? TABLES_OTHERS : gpu != NULL ? gpu->name : NULL);
}

static void fill_device(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const struct tables_gpu *gpu = find_gpu(fill->source, row->key[0]);
	fill_add_if(fill, !row->others, row->key[0]);
	fill_busy(fill);
	fill_add_text(fill, row->others ? TABLES_OTHERS : gpu != NULL ? gpu->name : NULL);
}

static void fill_stream(struct fill *fill)
{
	fill_add_if(fill, !fill->row->others, fill->row->key[0]);
	fill_add_if(fill, !fill->row->others, fill->row->key[1]);
	fill_busy(fill);
}

size_t tables_row_cells(const struct tables_source *source, enum tables_id id,
	const struct tables_row *row, const struct tables_whole *whole,
	struct tables_cell *ret_cells)
{
	static void (*const fills[TABLES_COUNT])(struct fill * fill) = {
		[TABLES_GPU_ACTIVITIES] = fill_activity,
		[TABLES_API_CALLS] = fill_call,
		[TABLES_KERNELS] = fill_kernel,
		[TABLES_COPIES] = fill_copy,
		[TABLES_FAILED_CALLS] = fill_failed,
		[TABLES_LAUNCHES] = fill_launch,
		[TABLES_DEVICES] = fill_device,
		[TABLES_STREAMS] = fill_stream,
		[TABLES_OVERVIEW] = overview_fill,
		[TABLES_DISTRIBUTION] = overview_fill_share,
		[TABLES_OPERATORS] = operators_fill,
		[TABLES_OPERATORS_BY_SHAPE] = operators_fill_shape,
		[TABLES_OPERATOR_KERNELS] = operators_fill_work,
		[TABLES_RANGES] = stretch_fill_range,
		[TABLES_MODULES] = stretch_fill_module,
		[TABLES_STEP_PHASES] = stretch_fill_phase,
		[TABLES_LINES] = fill_line,
		[TABLES_THREADS] = fill_thread,
		[TABLES_MEMORY] = fill_memory,
	};
	struct fill fill = {.next = ret_cells,
		.source = source,
		.row = row,
		.whole_ns = whole->ns,
		.group_ns = whole->group_ns};
	fills[id](&fill);
	return (size_t)(fill.next - ret_cells);
}
