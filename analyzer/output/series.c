/* SPDX-License-Identifier: MIT */
#include "analyzer/output/series.h"

#include "analyzer/output/json_finding.h"

/* A step's own figures, in front of what each cause has of it. */
enum series_column {
	SERIES_STEP,
	SERIES_BEGIN,
	SERIES_NS,
	SERIES_CAUSES
};

static uint64_t value_of(const struct history_step *step, unsigned column, uint64_t first_ns)
{
	switch (column) {
	case SERIES_STEP:
		return step->number;
	case SERIES_BEGIN:
		return step->begin_ns > first_ns ? step->begin_ns - first_ns : 0;
	case SERIES_NS:
		return step->end_ns - step->begin_ns;
	default:
		return step->cause_ns[column - SERIES_CAUSES];
	}
}

static void add_column(struct json *json, const char *name, const struct process *traced,
	const struct report *report, unsigned column)
{
	const struct history *history = traced->history;
	json_add_array(json, name);
	for (size_t i = 0; i < history->steps.count; i++) {
		const struct history_step *step = &history->steps.items[i];
		if (!step->aside && step->number < report->steps.until)
			json_u64(json, value_of(step, column, report->model->first_ns));
	}
	json_array_end(json);
}

void series_json(struct json *json, const struct process *traced, const struct report *report)
{
	if (traced->history == NULL || report->steps.steady == 0) {
		json_add_null(json, "series");
		return;
	}
	json_add_object(json, "series");
	add_column(json, "step", traced, report, SERIES_STEP);
	add_column(json, "begin_ns", traced, report, SERIES_BEGIN);
	add_column(json, "ns", traced, report, SERIES_NS);
	json_add_object(json, "causes");
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		if (i != CAUSE_HOST_OPERATORS || report->model->alone)
			add_column(json, cause_infos[i].name, traced, report, SERIES_CAUSES + i);
	json_object_end(json);
	json_add_u64(json, "left_out", traced->history->left_out);
	json_object_end(json);
}

/* What lay ready when the loop asked for it. */
static void depth_json(struct json *json, const struct depth *depth)
{
	bool known = depth->asks > 0;
	double asks = known ? (double)depth->asks : 1;
	json_add_u64(json, "asks", depth->asks);
	json_add_u64(json, "asks_left_out", depth->left_out);
	if (known)
		json_add_tenths(json, "ready_mean", depth->ready);
	else
		json_add_null(json, "ready_mean");
	json_pct(json, "none_ready_pct",
		known ? 100 * (double)depth->none / asks : REPORT_UNKNOWN_PCT);
	json_pct(json, "own_not_ready_pct",
		known ? 100 * (double)depth->missing / asks : REPORT_UNKNOWN_PCT);
	json_ns(json, "most_ahead", depth->most, known);
	json_ns(json, "prefetch_factor", depth->workers > 0 ? depth->most / depth->workers : 0,
		known && depth->workers > 0);
	json_ns(json, "take_ns", (uint64_t)depth->take_ns, known && depth->missing < depth->asks);
	json_ns(json, "batch_average_ns", (uint64_t)depth->average_ns, known);
	json_ns(json, "batch_longest_ns", (uint64_t)depth->longest_ns, known);
}

void series_workers_json(struct json *json, const struct report *report)
{
	const struct report_workers *workers = &report->workers;
	if (workers->count == 0) {
		json_add_null(json, "workers");
		return;
	}
	json_add_object(json, "workers");
	json_add_u64(json, "most_at_a_time", workers->count);
	json_ns(json, "processors", workers->processors, workers->processors > 0);
	json_pct(json, "busy_least_pct", workers->busy_least_pct);
	json_pct(json, "busy_most_pct", workers->busy_most_pct);
	depth_json(json, &workers->depth);
	json_object_end(json);
}
