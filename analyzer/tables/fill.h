/* SPDX-License-Identifier: MIT */
/*
 * One cell after the other of a row: what is not known is said so. Internal to this room.
 */
#ifndef ANALYZER_TABLES_FILL_H
#define ANALYZER_TABLES_FILL_H

#include "analyzer/tables/set.h"
#include "analyzer/tables/source.h"

struct tables_view;

/* Where the next cell goes, and what the cells are about. */
struct fill {
	struct tables_cell *next;
	const struct tables_source *source;
	const struct tables_row *row;
	uint64_t whole_ns, group_ns;
};

static inline void fill_add(struct fill *fill, uint64_t number)
{
	*fill->next++ = (struct tables_cell){.known = true, .number = number};
}

static inline void fill_add_if(struct fill *fill, bool known, uint64_t number)
{
	*fill->next++ = (struct tables_cell){.known = known, .number = known ? number : 0};
}

/* NULL or "": not known. */
static inline void fill_add_text(struct fill *fill, const char *text)
{
	bool known = text != NULL && text[0] != '\0';
	*fill->next++ = (struct tables_cell){.known = known, .text = known ? text : NULL};
}

static inline void fill_add_share(struct fill *fill, uint64_t part, uint64_t whole)
{
	fill_add_if(fill, whole > 0,
		whole > 0 ? (uint64_t)(((__uint128_t)part * 1000 + whole / 2) / whole) : 0);
}

/* bytes in ns as bytes per second. */
static inline void fill_add_rate(struct fill *fill, uint64_t bytes, uint64_t ns)
{
	__uint128_t rate = ns > 0 ? (__uint128_t)bytes * 1000000000 / ns : 0;
	fill_add_if(fill, ns > 0 && rate <= UINT64_MAX, (uint64_t)rate);
}

/* TABLE_SPREAD of columns.def. */
static inline void fill_add_spread(struct fill *fill, const struct tables_hist *hist)
{
	bool known = hist->count > 0;
	fill_add_if(fill, known, tables_hist_mean(hist));
	fill_add_if(fill, known, tables_hist_percentile(hist, 50));
	fill_add_if(fill, known, hist->min);
	fill_add_if(fill, known, hist->max);
	fill_add_if(fill, known, tables_hist_deviation(hist));
	fill_add_if(fill, known, tables_hist_percentile(hist, 95));
	fill_add_if(fill, known, tables_hist_percentile(hist, 99));
}

/* Functions of the backward pass on the host, and what the device did for them. */
static inline void fill_add_backward(struct fill *fill, const struct tables_hist *host,
	const struct tables_hist *device, bool measured)
{
	fill_add_if(fill, host->count > 0, host->count);
	fill_add_if(fill, host->count > 0, host->sum);
	fill_add_if(fill, host->count > 0 && measured, device->sum);
}

/* TABLE_TIMES of columns.def. */
static inline void fill_add_times(struct fill *fill)
{
	const struct tables_hist *hist = &fill->row->hists[0];
	fill_add_share(fill, hist->sum, fill->whole_ns);
	fill_add(fill, hist->sum);
	fill_add(fill, hist->count);
	fill_add_spread(fill, hist);
}

/* What fills the rows of tables that have files of their own; what such a row is called. */
const char *stretch_label(
	const struct tables_source *source, enum tables_id id, const struct tables_row *row);
void stretch_fill_range(struct fill *fill);
const char *operators_label(const struct tables_source *source, uint64_t id);
const char *operators_inputs(const struct tables_source *source, const struct tables_row *row);
void operators_fill(struct fill *fill);
void operators_fill_shape(struct fill *fill);
void operators_fill_work(struct fill *fill);
/* All rows of COMPILED into the view. 0 or -ENOMEM. */
int operators_rows_compiled(struct tables_view *view, const struct tables_source *source);
/* The same of PIPELINE. */
int operators_rows_pipeline(struct tables_view *view, const struct tables_source *source);
void stretch_fill_phase(struct fill *fill);
void stretch_fill_module(struct fill *fill);
/* All rows of STEP_TRACE or PERF_SUMMARY into the view. 0 or -ENOMEM. */
int steps_rows(struct tables_view *view, const struct tables_source *source);
void overview_fill(struct fill *fill);
void overview_fill_share(struct fill *fill);

#endif
