/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/rules/alloc.h"
#include "analyzer/report/rules/burst.h"
#include "analyzer/report/rules/input.h"
#include "analyzer/report/rules/launch.h"
#include "analyzer/report/rules/line.h"
#include "analyzer/report/rules/predict.h"

/* clang-format off */
#define LIMIT(id) (1ull << THRESHOLD_##id)
static const struct rule_row rows[] = {
#define RULE(id, name, catalogue, class, role, limits, title, advice)                              \
	{{name, catalogue, title, advice, limits}, RULE_##class, RULE_##role, rule_##id},
#include "analyzer/report/rules/rules.def"
#undef RULE
};
/* clang-format on */
_Static_assert(THRESHOLD_COUNT <= 64, "a bit for each limit");

static void (*const describe[RULE_CLASS_COUNT])(const struct subject *, struct finding *) = {
	[RULE_LINE] = line_describe,
	[RULE_INPUT] = input_describe,
	[RULE_LAUNCH] = launch_describe,
	[RULE_ALLOC] = alloc_describe,
	[RULE_BURST] = burst_describe,
};

static enum severity severity_by_gain(const struct report *report, double gain_pct)
{
	if (gain_pct >= report_limit(report, THRESHOLD_GAIN_HIGH))
		return SEVERITY_HIGH;
	if (gain_pct >= report_limit(report, THRESHOLD_GAIN_MEDIUM))
		return SEVERITY_MEDIUM;
	return gain_pct >= report_limit(report, THRESHOLD_GAIN) ? SEVERITY_LOW : SEVERITY_INFO;
}

/* Another cause idles the GPU for so much longer that launching is not what has to be mended. */
static bool is_aside(const struct report *report, enum rule_class class)
{
	enum cause second;
	uint64_t most = report->swept[report_largest_idle(report, &second)];
	return class == RULE_LAUNCH && most > 2 * report->swept[CAUSE_IDLE_LAUNCH];
}

/* What rests on wide bounds is not told as if it were certain. */
static enum severity severity_of(
	const struct report *report, enum rule_class class, double gain_pct)
{
	enum severity severity = severity_by_gain(report, gain_pct);
	if (severity < SEVERITY_MEDIUM && report_bounds_are_wide(report))
		severity = SEVERITY_MEDIUM;
	if (severity < SEVERITY_LOW && is_aside(report, class))
		severity = SEVERITY_LOW;
	return severity;
}

/* The finding has the gain of what its class takes away. */
static void gain(const struct report *report, enum rule_class class, const struct subject *subject,
	struct finding *finding)
{
	struct mended mended = {.any = false};
	if (subject->burst != NULL) {
		burst_gain(report, subject->burst, finding);
		finding->severity = severity_of(report, class, finding->gain_pct);
		return;
	}
	predict_mend(&mended, report, class, finding);
	finding->gain_pct = predict_gain(report, &mended, &finding->predicted_ns);
	finding->severity = severity_of(report, class, finding->gain_pct);
}

/* The finding says why; the same time is gained once, by the other. */
static void explain(const struct finding *whole, struct finding *finding)
{
	finding->severity = whole->severity;
	finding->part_of = whole->rule;
	finding->whole_pct = whole->gain_pct;
	finding->exposed_ns = REPORT_UNKNOWN;
	finding->gain_pct = REPORT_UNKNOWN_PCT;
}

static void write_texts(struct finding *finding)
{
	const struct rule *rule = finding->rule;
	char left[32];
	int used = snprintf(
		finding->text, sizeof(finding->text), "%.200s %s", finding->where, rule->title);
	char *rest = finding->text + used;
	size_t size = sizeof(finding->text) - (size_t)used;
	report_duration(finding->predicted_ns, left, sizeof(left));
	if (finding->part_of != NULL)
		snprintf(rest, size, "; what that costs is told in another finding of the place");
	else if (finding->severity == SEVERITY_INFO)
		snprintf(rest, size, ", which costs little here");
	else
		snprintf(rest, size, "; without that a step would take at least %s (%.1f %% less)",
			left, finding->gain_pct);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(finding->advice, sizeof(finding->advice), rule->advice, finding->where);
#pragma GCC diagnostic pop
}

/* Ask the rows of a class about a subject; what is found to mend is added to *all. */
static void look(struct report *report, enum rule_class class, const struct subject *subject,
	struct mended *all)
{
	struct finding seen = {.stream = REPORT_UNKNOWN, .calls_per_step = REPORT_UNKNOWN_PCT};
	const struct finding *whole = NULL;
	describe[class](subject, &seen);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rule_row *row = &rows[i];
		struct finding finding = seen;
		bool due = (row->role == RULE_EXPLAINS) == (whole != NULL);
		if (row->class != class || !due || report->finding_count == REPORT_FINDINGS ||
			!row->fits(subject, &finding))
			continue;
		finding.rule = &row->rule;
		if (whole != NULL)
			explain(whole, &finding);
		else
			gain(report, class, subject, &finding);
		write_texts(&finding);
		report->findings[report->finding_count] = finding;
		if (whole == NULL) {
			whole = &report->findings[report->finding_count];
			if (predict_counts_for_all(class))
				predict_mend(all, report, class, whole);
		}
		report->finding_count++;
	}
}

/* Most gain first; then by place, so that the order never depends on chance. */
static int by_gain(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	double gain = x->part_of != NULL ? x->whole_pct : x->gain_pct;
	double other = y->part_of != NULL ? y->whole_pct : y->gain_pct;
	if (gain != other)
		return gain > other ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return x->spot < y->spot ? -1 : x->spot > y->spot;
}

void rules_apply(struct report *report)
{
	struct mended all = {.any = false};
	const struct subject run = {.report = report};
	struct subject line;
	for (uint32_t spot = 1; spot < report->model->spots->count; spot++)
		if (line_look(report, spot, &line))
			look(report, RULE_LINE, &line, &all);
	burst_tell(report);
	struct burst_cost burst;
	struct subject few = {.report = report, .burst = &burst};
	for (uint32_t at = 0; burst_next(report, &at, &burst);)
		look(report, RULE_BURST, &few, &all);
	for (unsigned class = RULE_LINE + 1; class < RULE_BURST; class ++)
		look(report, (enum rule_class) class, &run, &all);
	qsort(report->findings, report->finding_count, sizeof(report->findings[0]), by_gain);
	if (all.any)
		(void)predict_gain(report, &all, &report->predicted_ns);
}
