/* SPDX-License-Identifier: MIT */
#include "analyzer/report/rules/apply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/rules/idiom.h"
#include "analyzer/report/rules/place.h"
#include "analyzer/report/rules/predict.h"
#include "analyzer/report/rules/subjects.h"

/* clang-format off */
#define LIMIT(id) (1ull << THRESHOLD_##id)
const struct rule_row rule_rows[RULE_ID_COUNT] = {
#define RULE(id, name, catalogue, class, role, limits, title, advice)                              \
	[RULE_ID_##id] = {{RULE_ID_##id, name, catalogue, title, advice, limits}, RULE_##class,    \
		RULE_##role, rule_##id},
#include "analyzer/report/rules/rules.def"
};

/* What a rule is where there is no GPU; without a title it does not hold there. */
static const struct alone {
	const char *title, *advice;
	enum rule_role role;
} alone_rows[RULE_ID_COUNT] = {
#define ALONE(id, role, title, advice) [RULE_ID_##id] = {title, advice, RULE_##role},
#include "analyzer/report/rules/rules.def"
};
/* clang-format on */
_Static_assert(THRESHOLD_COUNT <= 64, "a bit for each limit");

const struct rule *rule_info(unsigned id)
{
	return &rule_rows[id].rule;
}

unsigned rule_find(const char *name)
{
	for (unsigned id = 0; id < RULE_ID_COUNT; id++)
		if (strcmp(rule_rows[id].rule.name, name) == 0)
			return id;
	return RULE_ID_COUNT;
}

/* The row as it is in this run, valid until it is asked for in another. */
static const struct rule_row *row_of(const struct report *report, unsigned id)
{
	static struct rule_row rows[RULE_ID_COUNT];
	const struct alone *alone = &alone_rows[id];
	if (!report->model->alone)
		return &rule_rows[id];
	rows[id] = rule_rows[id];
	rows[id].rule.title = alone->title;
	rows[id].rule.advice = alone->advice;
	rows[id].role = alone->role;
	return alone->title != NULL ? &rows[id] : NULL;
}

/* The run as a whole has no place of its own. */
static void run_describe(const struct subject *subject, struct finding *finding)
{
	(void)subject;
	place_of_loop(finding);
}

static void (*const describe[RULE_CLASS_COUNT])(const struct subject *, struct finding *) = {
	[RULE_LINE] = line_describe,
	[RULE_INPUT] = input_describe,
	[RULE_LAUNCH] = launch_describe,
	[RULE_HOST] = host_describe,
	[RULE_ALLOC] = alloc_describe,
	[RULE_SETUP] = setup_describe,
	[RULE_BURST] = burst_describe,
	[RULE_CODE] = code_describe,
	[RULE_GC] = gc_describe,
	[RULE_GIL] = gil_describe,
	[RULE_RUN] = run_describe,
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

/* What mending it gains, of a step or of the run, in percent. */
static double gain_of(const struct finding *finding)
{
	if (finding->part_of != NULL)
		return finding->whole_pct;
	return finding->run_pct > 0 ? finding->run_pct : finding->gain_pct;
}

/* Where a loader's workers set the pace, the loop waits for them the longer. */
static void keep_pace(const struct report *report, struct finding *finding)
{
	uint64_t mean_ns = report->steps.mean_ns, pace_ns = rule_pace_ns(report);
	char pace[32];
	if (finding->predicted_ns >= pace_ns)
		return;
	if (finding->gain_pct >= report_limit(report, THRESHOLD_GAIN))
		evidence_add(finding,
			"; the loader's workers are busy for %s of a step, and without this the "
			"loop would wait for them the longer",
			report_duration(pace_ns, pace, sizeof(pace)));
	finding->predicted_ns = pace_ns < mean_ns ? pace_ns : mean_ns;
	finding->gain_pct = 100 - report_share(finding->predicted_ns, mean_ns);
}

/* The finding has the gain of what its class takes away. */
static void gain(const struct report *report, enum rule_class class, struct finding *finding)
{
	struct mended mended = {.any = false};
	if (class == RULE_BURST) { /* its description has it */
		finding->severity = severity_of(report, class, gain_of(finding));
		if (finding->by_machine && finding->severity < SEVERITY_LOW)
			finding->severity = SEVERITY_LOW;
		return;
	}
	predict_mend(&mended, report, class, finding);
	if (class == RULE_CODE && !mended.any)
		finding->gain_pct = code_gain(report, finding, &finding->predicted_ns);
	else
		finding->gain_pct = predict_gain(report, &mended, &finding->predicted_ns);
	if (class != RULE_INPUT)
		keep_pace(report, finding);
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

/* Nobody knows what it costs, unless the rule does, which may have said how severe it is. */
static void tell(struct finding *finding)
{
	finding->exposed_ns = REPORT_UNKNOWN;
	if (finding->predicted_ns == 0)
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
	else if (finding->run_pct > 0)
		snprintf(rest, size, "; without that the run would be at most %.1f %% shorter",
			finding->run_pct);
	else if (finding->gain_pct == REPORT_UNKNOWN_PCT)
		snprintf(rest, size, "; what that costs is not known");
	else if (finding->severity == SEVERITY_INFO)
		snprintf(rest, size, ", which costs little here");
	else
		snprintf(rest, size, "; without that a step would take at least %s (%.1f %% less)",
			left, finding->gain_pct);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (finding->advice[0] == '\0')
		snprintf(finding->advice, sizeof(finding->advice), rule->advice, finding->where);
#pragma GCC diagnostic pop
}

/* A class of rules and what its findings become part of. */
struct looking {
	struct report *report;
	const struct rule_choices *choices; /* NULL: all rules as they are */
	struct mended all;                  /* what is found to mend */
};

static bool is_due(const struct looking *looking, const struct rule_row *row, enum rule_class class,
	const struct finding *whole)
{
	if (row->class != class || looking->report->finding_count == REPORT_FINDINGS ||
		(looking->choices != NULL && looking->choices->off[row->rule.id]))
		return false;
	return row->role == RULE_TELLS || (row->role == RULE_EXPLAINS) == (whole != NULL);
}

/* The rules that read facts.h, which knows of no steps. */
static bool is_of_run(unsigned id)
{
	static const unsigned ids[] = {RULE_ID_gpu_bound, RULE_ID_precision, RULE_ID_small_grids,
		RULE_ID_fusible_kernels, RULE_ID_streams_serialised, RULE_ID_optimizer_per_tensor,
		RULE_ID_gradients_zeroed, RULE_ID_copy_low_bandwidth, RULE_ID_copy_filled,
		RULE_ID_sync_memset, RULE_ID_memory_full, RULE_ID_memory_spare,
		RULE_ID_memory_growth, RULE_ID_comm_data_parallel, RULE_ID_comm_sync_norms,
		RULE_ID_input_first_batch, RULE_ID_input_small_reads, RULE_ID_launch_short_kernels,
		RULE_ID_graph_break, RULE_ID_recompile};
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* Work out what the rule's finding costs, and add it. */
static struct finding *add(struct looking *looking, const struct rule_row *row,
	const struct finding *whole, const struct finding *found)
{
	struct report *report = looking->report;
	struct finding *kept = &report->findings[report->finding_count++];
	struct finding finding = *found;
	finding.rule = &row->rule;
	if (row->role == RULE_TELLS)
		tell(&finding);
	else if (whole != NULL)
		explain(whole, &finding);
	else
		gain(report, row->class, &finding);
	if (looking->choices != NULL && looking->choices->fixed[row->rule.id])
		finding.severity = looking->choices->severity[row->rule.id];
	if (report->model->options.selected != NULL && is_of_run(row->rule.id))
		evidence_add(&finding, "; counted over the whole run, not over the chosen steps");
	write_texts(&finding);
	*kept = finding;
	return kept;
}

/* Ask the rows of a class about a subject. */
static void look(struct looking *looking, enum rule_class class, const struct subject *subject)
{
	struct finding seen = {.stream = REPORT_UNKNOWN,
		.calls_per_step = REPORT_UNKNOWN_PCT,
		.calls = REPORT_UNKNOWN,
		.steps_with_calls = REPORT_UNKNOWN,
		.severity = SEVERITY_INFO};
	const struct finding *whole = NULL;
	describe[class](subject, &seen);
	for (unsigned id = 0; id < RULE_ID_COUNT; id++) {
		const struct rule_row *row = row_of(looking->report, id);
		struct finding found = seen;
		if (row == NULL || !is_due(looking, row, class, whole) ||
			!row->fits(subject, &found))
			continue;
		idiom_advise(subject, row->rule.id, &found);
		const struct finding *added = add(looking, row, whole, &found);
		if (row->role != RULE_GAINS)
			continue;
		whole = added;
		if (predict_counts_for_all(class))
			predict_mend(&looking->all, looking->report, class, whole);
	}
}

/*
 * What is worse first, also where its gain is not known, then by gain; then by place, so that the
 * order never depends on chance.
 */
static int by_weight(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	if (x->severity != y->severity)
		return x->severity < y->severity ? -1 : 1;
	double gain = gain_of(x), other = gain_of(y);
	if (gain != other)
		return gain > other ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return x->spot < y->spot ? -1 : x->spot > y->spot;
}

static void look_at_bursts(struct looking *looking)
{
	struct burst_cost burst;
	const struct subject subject = {.report = looking->report, .burst = &burst};
	burst_tell(looking->report);
	for (uint32_t at = 0; burst_next(looking->report, &at, &burst);)
		look(looking, RULE_BURST, &subject);
}

void rules_apply(struct report *report, const struct rule_choices *choices)
{
	struct looking looking = {.report = report, .choices = choices};
	const struct subject run = {.report = report};
	struct subject line;
	for (uint32_t spot = 1; spot < report->model->spots->count; spot++)
		if (line_look(report, spot, &line))
			look(&looking, RULE_LINE, &line);
	for (uint32_t spot = 1; spot < report->model->spots->count; spot++)
		if (host_look(report, spot, &line))
			look(&looking, RULE_HOST, &line);
	for (unsigned class = RULE_LINE + 1; class < RULE_BURST; class ++)
		if (class != RULE_HOST)
			look(&looking, (enum rule_class) class, &run);
	look_at_bursts(&looking);
	qsort(report->findings, report->finding_count, sizeof(report->findings[0]), by_weight);
	if (looking.all.any)
		(void)predict_gain(report, &looking.all, &report->predicted_ns);
}
