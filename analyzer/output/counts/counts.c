/* SPDX-License-Identifier: MIT */
#include "analyzer/output/counts/counts.h"

#include <ctype.h>
#include <string.h>

#include "analyzer/names/opname.h"
#include "analyzer/text/field_text.h"
#include "collector/format/fields.h"

#define SOURCE_BYTES 120u /* of a line that are told */

struct printing {
	struct json *json;
	const struct report *report;
	const struct counts *counts;
	const struct lookup *lookup;
	const struct sources *sources; /* lines of the program; NULL: none */
	struct steps_window window;
	uint64_t covered; /* steps of the window that have their operators */
};

static const char *text_or_null(const struct printing *printing, uint64_t id)
{
	const struct lookup *lookup = &printing->report->model->lookup;
	const char *text = id != 0 ? lookup_text(lookup, (uint32_t)id) : NULL;
	return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Lines that are told; NULL: their count says nothing. */
static const char *site_kind(enum spot_kind kind)
{
	switch (kind) {
	case SPOT_WAIT:
		return "sync";
	case SPOT_COPY_IN:
		return "copy_in";
	case SPOT_COPY_FREE:
		return "copy_async";
	case SPOT_ALLOC:
		return "alloc";
	case SPOT_LAUNCH:
		return "launch";
	default:
		return NULL;
	}
}

/* The line without blanks around it, cut to a size; NULL: the trace does not have it. */
static const char *source_text(
	const struct printing *printing, const struct spot *spot, char buffer[SOURCE_BYTES + 1])
{
	size_t length;
	const char *file = text_or_null(printing, spot->file);
	const char *line = file != NULL && spot->line > 0
				   ? sources_line(printing->sources, file, spot->line, &length)
				   : NULL;
	if (line == NULL)
		return NULL;
	for (; length > 0 && isspace((unsigned char)*line); length--)
		line++;
	while (length > 0 && isspace((unsigned char)line[length - 1]))
		length--;
	length = length < SOURCE_BYTES ? length : SOURCE_BYTES;
	memcpy(buffer, line, length);
	buffer[length] = '\0';
	return length > 0 ? buffer : NULL;
}

static void print_site(const struct printing *printing, const struct spot *spot)
{
	struct json *json = printing->json;
	uint64_t sums[SPOT_VALUE_COUNT], most[SPOT_VALUE_COUNT];
	char text[SOURCE_BYTES + 1];
	const char *kind = site_kind(spot->kind);
	series_sum_steps(&spot->counted, printing->window.first, printing->window.until, sums);
	if (kind == NULL || sums[SPOT_CALLS] == 0)
		return;
	series_most(&spot->counted, printing->window.first, printing->window.until, most);
	json_object(json);
	json_add_text(json, "kind", kind);
	json_add_text(json, "file", text_or_null(printing, spot->file));
	if (spot->line > 0)
		json_add_u64(json, "line", spot->line);
	else
		json_add_null(json, "line");
	json_add_text(json, "function", text_or_null(printing, spot->function));
	json_add_text(json, "source", source_text(printing, spot, text));
	json_add_text(json, "library_file", text_or_null(printing, spot->library_file));
	json_add_text(json, "library_function", text_or_null(printing, spot->library_function));
	json_add_text(json, "op",
		text_or_null(printing, spot->outer_op != 0 ? spot->outer_op : spot->name));
	json_add_text(json, "call", lookup_call(printing->lookup, spot->call));
	json_add_u64(json, "count", sums[SPOT_CALLS]);
	json_add_u64(json, "bytes", sums[SPOT_BYTES]);
	json_add_u64(json, "pageable", spot->kind == SPOT_COPY_IN ? sums[SPOT_PAGEABLE] : 0);
	json_add_u64(json, "host_ns", sums[SPOT_HOST_NS]);
	json_add_u64(json, "most_count", most[SPOT_CALLS]);
	json_add_u64(json, "most_bytes", most[SPOT_BYTES]);
	json_object_end(json);
}

static void print_name(
	const struct printing *printing, enum counts_table table, const struct counts_row *row)
{
	struct json *json = printing->json;
	if (table == COUNTS_COPIES) {
		struct record copy = counts_copy(row->key);
		json_add_text(json, "direction",
			field_value_name(RECORD_DEVICE_COPY, "direction", record_direction(&copy)));
		json_add_text(json, "src_memory",
			field_value_name(
				RECORD_DEVICE_COPY, "src_memory", record_src_memory(&copy)));
		json_add_text(json, "dst_memory",
			field_value_name(
				RECORD_DEVICE_COPY, "dst_memory", record_dst_memory(&copy)));
		return;
	}
	const char *name = row->others ? "(others)"
			   : table == COUNTS_CALLS
				   ? lookup_call(printing->lookup, (uint16_t)row->key)
				   : lookup_text(printing->lookup, (uint32_t)row->key);
	json_add_text(json, "name", name != NULL && name[0] != '\0' ? name : NULL);
}

/* Of operators that some steps have: as many as all would have. */
static uint64_t of_all(const struct printing *printing, enum counts_table table, uint64_t sum)
{
	uint64_t all = printing->window.count, covered = printing->covered;
	if (table != COUNTS_OPERATORS || covered == 0 || covered >= all)
		return sum;
	return (uint64_t)(((__uint128_t)sum * all + covered / 2) / covered);
}

static void print_table(const struct printing *printing, enum counts_table table, const char *key)
{
	struct json *json = printing->json;
	json_add_array(json, key);
	const struct counts_set *set = &printing->counts->sets[table];
	for (size_t i = 0; i < set->rows.count; i++) {
		const struct counts_row *row = &set->rows.items[i];
		uint64_t sums[COUNTS_VALUE_COUNT];
		counts_sum(row, printing->window.first, printing->window.until, sums);
		if (sums[COUNTS_COUNT] == 0)
			continue;
		json_object(json);
		print_name(printing, table, row);
		json_add_u64(json, "count", of_all(printing, table, sums[COUNTS_COUNT]));
		json_add_u64(json, "host_ns", of_all(printing, table, sums[COUNTS_HOST_NS]));
		if (table == COUNTS_COPIES)
			json_add_u64(json, "bytes", sums[COUNTS_BYTES]);
		if (table == COUNTS_COPIES || table == COUNTS_KERNELS) {
			if (row->operations > 0)
				json_add_u64(
					json, "device_mean_ns", row->device_ns / row->operations);
			else
				json_add_null(json, "device_mean_ns");
		}
		json_object_end(json);
	}
	json_array_end(json);
}

/* A copy for which the driver needs memory of its own between both ends. */
static bool is_pageable(const struct counts_row *row)
{
	struct record copy = counts_copy(row->key);
	uint64_t way = record_direction(&copy);
	return (way == COPY_HOST_TO_DEVICE && record_src_memory(&copy) == MEMORY_PAGEABLE) ||
	       (way == COPY_DEVICE_TO_HOST && record_dst_memory(&copy) == MEMORY_PAGEABLE);
}

/* A kernel that communicates. */
static bool is_collective(const struct printing *printing, const struct counts_row *row)
{
	const char *name = text_or_null(printing, row->key);
	return name != NULL && (opname_class(name) & OPCLASS_COMM) != 0;
}

/* A number of the run, of all steps that count and of the one that has most of it. */
struct total {
	const char *name;
	uint64_t sum, most;
};

/*
 * Of kernels the collectives, of copies the pageable ones, of others all. Rows need not have their
 * most in the same step, so that of the total may be a little more than there is.
 */
static struct total total_of(
	const struct printing *printing, enum counts_table table, const char *name)
{
	const struct counts_set *set = &printing->counts->sets[table];
	struct total total = {.name = name};
	for (size_t i = 0; i < set->rows.count; i++) {
		const struct counts_row *row = &set->rows.items[i];
		uint64_t sums[COUNTS_VALUE_COUNT], most[COUNTS_VALUE_COUNT];
		if (row->others || (table == COUNTS_COPIES && !is_pageable(row)) ||
			(table == COUNTS_KERNELS && !is_collective(printing, row)))
			continue;
		counts_sum(row, printing->window.first, printing->window.until, sums);
		counts_most(row, printing->window.first, printing->window.until, most);
		total.sum += sums[COUNTS_COUNT];
		total.most += most[COUNTS_COUNT];
	}
	return total;
}

static void print_totals(const struct printing *printing)
{
	static const struct {
		const char *name;
		enum model_value value;
	} rows[] = {{"launches", MODEL_LAUNCHES}, {"graph_launches", MODEL_GRAPHS},
		{"copies", MODEL_COPIES}, {"to_device_bytes", MODEL_TO_DEVICE_BYTES},
		{"to_host_bytes", MODEL_TO_HOST_BYTES}, {"syncs", MODEL_SYNCS},
		{"operators", MODEL_OPS}};
	const size_t counted = sizeof(rows) / sizeof(rows[0]);
	const struct series *series = &printing->report->model->counted;
	const struct steps_window *window = &printing->window;
	struct json *json = printing->json;
	uint64_t sums[MODEL_VALUE_COUNT], most[MODEL_VALUE_COUNT];
	struct total totals[sizeof(rows) / sizeof(rows[0]) + 3];
	series_sum_steps(series, window->first, window->until, sums);
	series_most(series, window->first, window->until, most);
	sums[MODEL_OPS] = of_all(printing, COUNTS_OPERATORS, sums[MODEL_OPS]);
	for (size_t i = 0; i < counted; i++)
		totals[i] = (struct total){rows[i].name, sums[rows[i].value], most[rows[i].value]};
	totals[counted] = total_of(printing, COUNTS_ALLOCS, "allocations");
	totals[counted + 1] = total_of(printing, COUNTS_COPIES, "copies_pageable");
	/* kernels stand for them where the library's own calls were not recorded */
	bool told = printing->counts->sets[COUNTS_MOVES].rows.count > 0;
	totals[counted + 2] =
		total_of(printing, told ? COUNTS_MOVES : COUNTS_KERNELS, "collectives");
	json_add_object(json, "totals");
	for (size_t i = 0; i < counted + 3; i++)
		json_add_u64(json, totals[i].name, totals[i].sum);
	json_object_end(json);
	json_add_object(json, "totals_most");
	for (size_t i = 0; i < counted + 3; i++)
		json_add_u64(json, totals[i].name, totals[i].most);
	json_object_end(json);
}

static uint64_t covered_of(const struct report *report, const struct steps_window *window)
{
	uint64_t sums[MODEL_VALUE_COUNT];
	series_sum_steps(&report->model->counted, window->first, window->until, sums);
	return sums[MODEL_COVERED];
}

void output_counts_json(struct json *json, const struct report *report, const struct counts *counts,
	const struct lookup *lookup, const struct sources *sources)
{
	struct printing printing = {.json = json,
		.report = report,
		.counts = counts,
		.lookup = lookup,
		.sources = sources};
	if (counts == NULL || lookup == NULL) {
		json_add_null(json, "counts");
		return;
	}
	steps_counted(&report->model->steps, &printing.window);
	printing.covered = covered_of(report, &printing.window);
	json_add_object(json, "counts");
	json_add_u64(json, "first_step", printing.window.first);
	json_add_u64(json, "steps", printing.window.count);
	json_add_u64(json, "operator_steps", printing.covered);
	print_totals(&printing);
	json_add_array(json, "sites");
	for (uint32_t i = 1; i < report->model->spots->count; i++)
		print_site(&printing, &report->model->spots->items[i]);
	json_array_end(json);
	print_table(&printing, COUNTS_OPERATORS, "operators");
	print_table(&printing, COUNTS_KERNELS, "kernels");
	print_table(&printing, COUNTS_COPIES, "copies");
	print_table(&printing, COUNTS_CALLS, "calls");
	json_object_end(json);
}
