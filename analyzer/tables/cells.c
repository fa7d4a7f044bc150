/* SPDX-License-Identifier: MIT */
#include "analyzer/tables/cells.h"

#include <string.h>

#include "analyzer/tables/error.h"
#include "analyzer/text/field_text.h"

#define OTHERS    "others"
#define SET_LABEL "[CUDA memset]"

/* Where the next cell goes, and what the cells are about. */
struct fill {
	struct tables_cell *next;
	const struct tables_source *source;
	const struct tables_row *row;
	uint64_t whole_ns;
};

static void add(struct fill *fill, uint64_t number)
{
	*fill->next++ = (struct tables_cell){.known = true, .number = number};
}

static void add_if(struct fill *fill, bool known, uint64_t number)
{
	*fill->next++ = (struct tables_cell){.known = known, .number = known ? number : 0};
}

/* NULL or "": not known. */
static void add_text(struct fill *fill, const char *text)
{
	bool known = text != NULL && text[0] != '\0';
	*fill->next++ = (struct tables_cell){.known = known, .text = known ? text : NULL};
}

static void add_share(struct fill *fill, uint64_t part, uint64_t whole)
{
	add_if(fill, whole > 0,
		whole > 0 ? (uint64_t)(((__uint128_t)part * 1000 + whole / 2) / whole) : 0);
}

/* bytes in ns as bytes per second. */
static void add_rate(struct fill *fill, uint64_t bytes, uint64_t ns)
{
	__uint128_t rate = ns > 0 ? (__uint128_t)bytes * 1000000000 / ns : 0;
	add_if(fill, ns > 0 && rate <= UINT64_MAX, (uint64_t)rate);
}

/* TABLE_SPREAD of columns.def. */
static void add_spread(struct fill *fill, const struct tables_hist *hist)
{
	bool known = hist->count > 0;
	add_if(fill, known, tables_hist_mean(hist));
	add_if(fill, known, tables_hist_percentile(hist, 50));
	add_if(fill, known, hist->min);
	add_if(fill, known, hist->max);
	add_if(fill, known, tables_hist_deviation(hist));
	add_if(fill, known, tables_hist_percentile(hist, 95));
	add_if(fill, known, tables_hist_percentile(hist, 99));
}

/* TABLE_TIMES of columns.def. */
static void add_times(struct fill *fill)
{
	const struct tables_hist *hist = &fill->row->hists[0];
	add_share(fill, hist->sum, fill->whole_ns);
	add(fill, hist->sum);
	add(fill, hist->count);
	add_spread(fill, hist);
}

static const char *copy_label(uint64_t direction)
{
	static const char *const labels[] = {
		[COPY_HOST_TO_HOST] = "[CUDA memcpy HtoH]",
		[COPY_HOST_TO_DEVICE] = "[CUDA memcpy HtoD]",
		[COPY_DEVICE_TO_HOST] = "[CUDA memcpy DtoH]",
		[COPY_DEVICE_TO_DEVICE] = "[CUDA memcpy DtoD]",
		[COPY_DEFAULT] = "[CUDA memcpy]",
		[COPY_PEER] = "[CUDA memcpy PtoP]",
	};
	return direction < sizeof(labels) / sizeof(labels[0]) ? labels[direction] : labels[4];
}

static const char *kernel_label(const struct tables_source *source, uint64_t id)
{
	const char *text = lookup_text(source->lookup, (uint32_t)id);
	return text == NULL || text[0] == '\0' ? "(kernel without a name)" : text;
}

static const char *function_label(const struct tables_source *source, uint64_t function)
{
	enum record_kind kind = key_function_kind(function);
	if (kind != RECORD_NONE)
		return record_kinds[kind].name;
	const char *name = lookup_call(source->lookup, (uint16_t)function);
	return name == NULL || name[0] == '\0' ? "(unknown function)" : name;
}

const char *tables_row_label(
	const struct tables_source *source, enum tables_id id, const struct tables_row *row)
{
	struct record copy;
	if (row->others)
		return OTHERS;
	switch (id) {
	case TABLES_GPU_ACTIVITIES:
		if (row->key[0] == RECORD_DEVICE_KERNEL)
			return kernel_label(source, row->key[1]);
		return row->key[0] == RECORD_DEVICE_SET ? SET_LABEL : copy_label(row->key[1]);
	case TABLES_COPIES:
		copy = key_copy(row->key);
		return copy.kind == RECORD_DEVICE_SET ? SET_LABEL
						      : copy_label(record_direction(&copy));
	case TABLES_KERNELS:
		return kernel_label(source, key_kernel(row->key).name);
	case TABLES_LAUNCHES:
		return kernel_label(source, row->key[1]);
	case TABLES_API_CALLS:
	case TABLES_FAILED_CALLS:
		return function_label(source, row->key[0]);
	default:
		return "";
	}
}

static const char *api_of(const struct tables_row *row, const char *function)
{
	if (row->others)
		return NULL;
	if (row->driver)
		return "driver";
	return strncmp(function, "cuda", 4) == 0 || strncmp(function, "__cuda", 6) == 0 ? "runtime"
											: "other";
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
	add_times(fill);
	add(fill, row->count - row->hists[0].count);
	add_text(fill, row->others ? NULL : kinds[row->key[0] - RECORD_DEVICE_KERNEL]);
	add_text(fill, tables_row_label(fill->source, TABLES_GPU_ACTIVITIES, row));
}

static void fill_call(struct fill *fill)
{
	const char *label = tables_row_label(fill->source, TABLES_API_CALLS, fill->row);
	add_times(fill);
	add_text(fill, api_of(fill->row, label));
	add_text(fill, label);
}

static void fill_kernel(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	bool known = !row->others;
	add_times(fill);
	add_if(fill, known, row->key[1]);
	add_if(fill, known, row->key[2]);
	add_if(fill, known, key_kernel_registers(row->key));
	add_if(fill, known, row->key[3]);
	add_text(fill, tables_row_label(fill->source, TABLES_KERNELS, row));
}

static void fill_copy(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const struct tables_hist *times = &row->hists[0], *sizes = &row->hists[1];
	const struct record copy = key_copy(row->key);
	bool known = !row->others, is_copy = known && copy.kind != RECORD_DEVICE_SET;
	uint64_t limit = declared(fill->source, row);
	add(fill, times->sum);
	add(fill, times->count);
	add_spread(fill, times);
	add(fill, sizes->sum);
	add_spread(fill, sizes);
	add_rate(fill, sizes->sum, times->sum);
	add_if(fill, limit > 0, limit);
	const char *direction =
		field_value_name(RECORD_DEVICE_COPY, "direction", record_direction(&copy));
	add_text(fill, is_copy ? direction : NULL);
	add_text(fill, is_copy ? memory_name(record_src_memory(&copy)) : NULL);
	add_text(fill, is_copy ? memory_name(record_dst_memory(&copy))
		       : known ? memory_name(record_filled_memory(&copy))
			       : NULL);
	add_if(fill, known, record_device(&copy));
	add_if(fill, is_copy && record_direction(&copy) == COPY_PEER,
		record_DEVICE_COPY_peer(&copy));
	add_text(fill, tables_row_label(fill->source, TABLES_COPIES, row));
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
	add(fill, row->count);
	add(fill, row->first_ns > begin_ns ? row->first_ns - begin_ns : 0);
	add_text(fill, api_of(row, label));
	add_text(fill, label);
	add_if(fill, !row->others, (uint64_t)(int64_t)error);
	add_text(fill, row->others ? NULL : tables_error_name(error, row->driver));
	add_if(fill, line > 0, line);
	add_text(fill, file == 0 ? NULL : lookup_text(lookup, (uint32_t)file));
}

static void fill_launch(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	add(fill, row->hists[0].sum);
	add(fill, row->count);
	add(fill, row->hists[2].count);
	for (unsigned i = 0; i < 4; i++)
		add_spread(fill, &row->hists[i]);
	add_text(fill, row->others ? NULL : function_label(fill->source, row->key[0]));
	add_text(fill, tables_row_label(fill->source, TABLES_LAUNCHES, row));
}

static void fill_busy(struct fill *fill)
{
	uint64_t busy_ns = tables_busy_ns(fill->row->busy);
	add(fill, fill->row->count);
	add(fill, busy_ns);
	add(fill, fill->whole_ns);
	add_share(fill, busy_ns, fill->whole_ns);
	add(fill, fill->row->busy->late_ns);
}

static void fill_device(struct fill *fill)
{
	const struct tables_row *row = fill->row;
	const struct tables_gpu *gpu = find_gpu(fill->source, row->key[0]);
	add_if(fill, !row->others, row->key[0]);
	fill_busy(fill);
	add_text(fill, row->others ? OTHERS : gpu != NULL ? gpu->name : NULL);
}

static void fill_stream(struct fill *fill)
{
	add_if(fill, !fill->row->others, fill->row->key[0]);
	add_if(fill, !fill->row->others, fill->row->key[1]);
	fill_busy(fill);
}

size_t tables_row_cells(const struct tables_source *source, enum tables_id id,
	const struct tables_row *row, uint64_t whole_ns, struct tables_cell *ret_cells)
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
	};
	struct fill fill = {.next = ret_cells, .source = source, .row = row, .whole_ns = whole_ns};
	fills[id](&fill);
	return (size_t)(fill.next - ret_cells);
}
