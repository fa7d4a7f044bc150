/* SPDX-License-Identifier: MIT */
#include "analyzer/report/result/result.h"

#include <stdio.h>

/* Processors that are busy for more of the run have nothing to spare. */
#define LOADED_PCT 95.0

const char *const severity_names[SEVERITY_COUNT] = {"high", "medium", "low", "info"};
const char *const verdict_names[VERDICT_CLASS_COUNT] = {
	"io", "cpu", "gpu", "mixed", "insufficient"};
const char *const health_names[HEALTH_STATUS_COUNT] = {"good", "degraded", "bad"};

double report_share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : REPORT_UNKNOWN_PCT;
}

double report_per_step(const struct report *report, uint64_t sum)
{
	return (double)sum / (double)report->steps.steady;
}

uint64_t report_ns_per_step(const struct report *report, uint64_t sum)
{
	return sum / report->steps.steady;
}

double report_cause_pct(const struct report *report, enum cause cause)
{
	return report->account[cause].tenths / 10.0;
}

enum cause report_largest_idle(const struct report *report, enum cause *ret_second)
{
	enum cause best = CAUSE_IDLE_INPUT, second = CAUSE_IDLE_SYNC;
	for (unsigned cause = CAUSE_IDLE_INPUT + 1; cause < CAUSE_COUNT; cause++) {
		if (report->swept[cause] > report->swept[best]) {
			second = best;
			best = (enum cause)cause;
		} else if (report->swept[cause] > report->swept[second]) {
			second = (enum cause)cause;
		}
	}
	*ret_second = second;
	return best;
}

double report_load_pct(const struct report *report)
{
	const struct model_metric *metrics = report->model->metrics;
	const struct model_metric *busy = &metrics[SAMPLE_HOST_BUSY_NS];
	const struct model_metric *idle = &metrics[SAMPLE_HOST_IDLE_NS];
	if (!busy->known || !idle->known)
		return REPORT_UNKNOWN_PCT;
	uint64_t worked = busy->last - busy->first, rested = idle->last - idle->first;
	const struct model_metric *waiting = &metrics[SAMPLE_HOST_IOWAIT_NS];
	if (waiting->known)
		rested += waiting->last - waiting->first;
	return report_share(worked, worked + rested);
}

bool report_is_loaded(const struct report *report)
{
	return report_load_pct(report) > LOADED_PCT;
}

bool report_bounds_are_wide(const struct report *report)
{
	return !report->busy_measured &&
	       report->busy_high_pct - report->busy_low_pct > report_limit(report, THRESHOLD_WIDE);
}

bool report_lag_grows(const struct report *report)
{
	return report->lag_growth_pct > report_limit(report, THRESHOLD_LAG);
}

bool report_waits_for_data(const struct report *report)
{
	return report->reader_pct > report_limit(report, THRESHOLD_IO);
}

struct spot_sums report_spot(const struct report *report, uint32_t spot)
{
	const struct spot *items = report->model->spots->items;
	struct spot_sums sums;
	series_sum(&items[spot].counted, report->steps.first, report->steps.until, sums.counted);
	series_sum(&items[spot].found, report->steps.first, report->steps.until, sums.found);
	return sums;
}

bool report_feeds(const struct report *report, uint32_t spot)
{
	enum spot_kind kind = report->model->spots->items[spot].kind;
	if (kind != SPOT_BLOCKED)
		return kind == SPOT_LOAD;
	struct spot_sums sums = report_spot(report, spot);
	return 2 * sums.counted[SPOT_FED] > sums.counted[SPOT_TURNS];
}

uint32_t report_input_spot(const struct report *report)
{
	uint32_t best = 0;
	uint64_t exposed_ns = 0, line_ns = 0;
	for (uint32_t spot = 1; spot < report->model->spots->count; spot++) {
		if (!report_feeds(report, spot))
			continue;
		struct spot_sums sums = report_spot(report, spot);
		uint64_t exposed = sums.found[SPOT_EXPOSED_NS], ns = sums.found[SPOT_LINE_NS];
		if (exposed < exposed_ns || (exposed == exposed_ns && ns <= line_ns))
			continue;
		best = spot;
		exposed_ns = exposed;
		line_ns = ns;
	}
	return best;
}

const char *report_duration(uint64_t ns, char *buffer, size_t size)
{
	if (ns < 1000)
		snprintf(buffer, size, "%llu ns", (unsigned long long)ns);
	else if (ns < 1000000)
		snprintf(buffer, size, "%.1f us", (double)ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buffer, size, "%.2f ms", (double)ns / 1e6);
	else
		snprintf(buffer, size, "%.2f s", (double)ns / 1e9);
	return buffer;
}

#define MEAN_CLOSE 0.01

const char *report_mean(const struct report *report, char *buffer, size_t size)
{
	const struct steps_summary *steps = &report->steps;
	char mean[32], low[32], high[32];
	report_duration(steps->mean_ns, mean, sizeof(mean));
	double open_ns = (double)(steps->mean_high_ns - steps->mean_low_ns);
	if (open_ns > MEAN_CLOSE * (double)steps->mean_ns)
		snprintf(buffer, size, "%s (an estimate, between %s and %s)", mean,
			report_duration(steps->mean_low_ns, low, sizeof(low)),
			report_duration(steps->mean_high_ns, high, sizeof(high)));
	else
		snprintf(buffer, size, "%s", mean);
	return buffer;
}

double report_peer_pct(const struct report *report)
{
	const struct late *late = &report->peer.late;
	uint64_t exposed_ns = report->account[CAUSE_DEVICE_COMM].ns_per_step;
	uint64_t ns = late->steps > 0 && late->count > 0 ? late->ns / late->steps : 0;
	double pct = report_share(ns < exposed_ns ? ns : exposed_ns, report->steps.mean_ns);
	return pct > 0 ? pct : 0;
}
