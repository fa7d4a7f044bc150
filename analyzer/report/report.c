/* SPDX-License-Identifier: MIT */
#include "analyzer/report/report.h"

#include <stdio.h>
#include <string.h>

const struct rule rules[RULE_COUNT] = {
#define RULE(id, name, catalogue, title, advice) [RULE_##id] = {name, catalogue, title, advice},
#include "analyzer/report/rules.def"
#undef RULE
};

const char *const severity_names[SEVERITY_COUNT] = {"high", "medium", "low", "info"};
const char *const verdict_names[VERDICT_CLASS_COUNT] = {
	"io", "cpu", "gpu", "mixed", "insufficient"};
const char *const confidence_names[CONFIDENCE_COUNT] = {"low", "medium", "high"};
const char *const health_names[] = {"good", "degraded", "bad"};

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

static double share(uint64_t part, uint64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : REPORT_UNKNOWN_PCT;
}

/* Tenths of a percent that add up to 1000: what is cut off goes to the largest remainders. */
static void round_account(struct report *report, uint64_t whole)
{
	uint64_t remainder[CAUSE_COUNT];
	unsigned given = 0;
	for (unsigned i = 0; i < CAUSE_COUNT; i++) {
		__uint128_t scaled = (__uint128_t)report->swept[i] * 1000;
		report->account[i].tenths = (unsigned)(scaled / whole);
		remainder[i] = (uint64_t)(scaled % whole);
		given += report->account[i].tenths;
	}
	for (; given < 1000; given++) {
		unsigned best = 0;
		for (unsigned i = 1; i < CAUSE_COUNT; i++)
			if (remainder[i] > remainder[best])
				best = i;
		report->account[best].tenths++;
		remainder[best] = 0;
	}
}

static void build_account(struct report *report)
{
	uint64_t whole = 0;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		whole += report->swept[i];
	if (report->steps.steady == 0 || whole == 0)
		return;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		report->account[i].ns_per_step = report->swept[i] / report->steps.steady;
	round_account(report, whole);
}

static void build_ratios(struct report *report)
{
	const uint64_t *swept = report->swept;
	uint64_t whole = 0;
	for (unsigned i = 0; i < CAUSE_COUNT; i++)
		whole += swept[i];
	report->measured_pct = share(swept[SWEEP_MEASURED_NS], whole);
	report->measured_busy_pct = share(swept[SWEEP_MEASURED_BUSY_NS], swept[SWEEP_MEASURED_NS]);
	report->busy_measured =
		report->measured_pct >= report->thresholds->values[THRESHOLD_MATCHED];
	uint64_t busy =
		swept[CAUSE_DEVICE_COMPUTE] + swept[CAUSE_DEVICE_COMM] + swept[CAUSE_DEVICE_COPY];
	uint64_t reader = report->counted[MODEL_LOADS] > 0 ? report->counted[MODEL_LOAD_NS]
							   : swept[SWEEP_PIECES + PIECE_INPUT];
	uint64_t waits = swept[SWEEP_PIECES + PIECE_WAIT] + swept[SWEEP_PIECES + PIECE_BLOCKED];
	uint64_t aside = waits + swept[SWEEP_PIECES + PIECE_INPUT];
	report->reader_pct = share(reader < whole ? reader : whole, whole);
	report->busy_pct = share(busy, whole);
	report->busy_low_pct = report->busy_high_pct = report->busy_pct;
	if (!report->busy_measured && whole > 0) {
		report->busy_low_pct = share(swept[SWEEP_CERTAIN_NS], whole);
		report->busy_high_pct = 100.0 - share(swept[SWEEP_EMPTY_NS], whole);
	}
	report->host_pct = whole > aside ? share(whole - aside, whole) : share(0, whole);
	report->waited_pct =
		share(swept[SWEEP_WAITED_NS] + swept[SWEEP_PIECES + PIECE_BLOCKED], whole);
	report->behind_pct = share(report->model->waited_ns, whole);
}

static enum confidence steps_confidence(const struct report *report)
{
	const struct model *model = report->model;
	switch (model->steps.method) {
	case STEP_BY_MARK:
	case STEP_BY_OPTIMIZER:
		return report->steps.spread < 0.25 ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	case STEP_BY_LOADER:
		return CONFIDENCE_MEDIUM;
	case STEP_BY_PERIOD:
		return model->period.match > 0.95 && model->period.anchor != 0 ? CONFIDENCE_MEDIUM
									       : CONFIDENCE_LOW;
	default:
		return CONFIDENCE_LOW;
	}
}

void report_build(struct report *report, const struct report_input *input)
{
	memset(report, 0, sizeof(*report));
	report->model = input->model;
	report->thresholds = input->thresholds;
	steps_summarise(&input->model->steps, &report->steps);
	report->steps_confidence = steps_confidence(report);
	uint64_t first = report->steps.first, until = report->steps.until;
	series_sum(&input->model->sweep.account, first, until, report->swept);
	series_sum(&input->model->counted, first, until, report->counted);
	report->predicted_ns = REPORT_UNKNOWN;
	build_account(report);
	build_ratios(report);
	health_judge(report, input);
	if (report->steps.steady > 0)
		rules_apply(report);
	verdict_decide(report);
}
