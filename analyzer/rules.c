/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report.h"

/* Sums of one spot over the steady steps. */
struct spot_sums {
	uint64_t counted[SPOT_VALUE_COUNT], found[SPOT_FINDING_COUNT];
};

static double limit(const struct report *report, enum threshold_id id)
{
	return report->thresholds->values[id];
}

static enum severity severity_of(const struct report *report, double gain_pct)
{
	if (gain_pct >= limit(report, THRESHOLD_GAIN_HIGH))
		return SEVERITY_HIGH;
	if (gain_pct >= limit(report, THRESHOLD_GAIN_MEDIUM))
		return SEVERITY_MEDIUM;
	return gain_pct >= limit(report, THRESHOLD_GAIN) ? SEVERITY_LOW : SEVERITY_INFO;
}

/* Play the run without something: the gain and the step that is left. */
static void predict(
	const struct report *report, const struct removal *removal, struct finding *finding)
{
	double left = whatif_play(
		&report->model->sweep.whatif, removal, report->steps.first, report->steps.until);
	finding->gain_pct = 100.0 * (1.0 - left);
	finding->predicted_ns = (uint64_t)(left * (double)report->steps.mean_ns);
	finding->severity = severity_of(report, finding->gain_pct);
}

static struct finding *add(struct report *report, enum rule_id rule)
{
	if (report->finding_count == REPORT_FINDINGS)
		return NULL;
	struct finding *finding = &report->findings[report->finding_count++];
	*finding = (struct finding){
		.rule = rule, .stream = REPORT_UNKNOWN, .calls_per_step = REPORT_UNKNOWN_PCT};
	return finding;
}

static enum rule_id rule_of(
	const struct report *report, const struct spot *spot, const uint64_t *counted)
{
	uint64_t calls = counted[SPOT_CALLS] > 0 ? counted[SPOT_CALLS] : 1;
	if (spot->kind == SPOT_COPY_IN) {
		double small = limit(report, THRESHOLD_COPY_SMALL) * 1024;
		bool large = (double)counted[SPOT_BYTES] / (double)calls > small;
		bool pageable = 2 * counted[SPOT_PAGEABLE] >= calls;
		bool async = 2 * counted[SPOT_ASYNC] >= calls;
		return (pageable && async) || (pageable && !large) ? RULE_COPY_PAGEABLE_ASYNC
								   : RULE_COPY_SYNC_LARGE;
	}
	if (2 * spot->shaped > spot->named)
		return RULE_SYNC_SHAPE_DEPENDENT;
	uint64_t scalar = counted[SPOT_SCALAR], tensor = counted[SPOT_TENSOR];
	if (counted[SPOT_PLAIN] > scalar + tensor)
		return RULE_SYNC_EXPLICIT;
	bool moved =
		(spot->op_class & OPCLASS_TRANSFER) != 0 && (spot->op_class & OPCLASS_SCALAR) == 0;
	return scalar >= tensor && !moved ? RULE_SYNC_SCALAR_READ : RULE_SYNC_TENSOR_TO_HOST;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

/* Where a finding is, for people: train.py:12, or module(function). */
static void describe_place(struct finding *finding, bool native, uint64_t address)
{
	size_t size = sizeof(finding->where);
	const char *function = finding->function != NULL ? finding->function : "";
	if (finding->file == NULL)
		snprintf(finding->where, size, "an unknown place");
	else if (!native)
		snprintf(finding->where, size, "%.200s:%llu", base_name(finding->file),
			(unsigned long long)finding->line);
	else if (function[0] != '\0')
		snprintf(
			finding->where, size, "%.200s(%.200s)", base_name(finding->file), function);
	else
		snprintf(finding->where, size, "%.200s+0x%llx", base_name(finding->file),
			(unsigned long long)address);
}

static const char *text_or_null(const struct report *report, uint64_t id)
{
	const char *text = id != 0 ? lookup_text(&report->model->lookup, (uint32_t)id) : NULL;
	return text != NULL && text[0] != '\0' ? text : NULL;
}

/* The line that asks for data: of the loader's range, else of the read that blocked longest. */
static void describe_input(const struct report *report, struct finding *finding)
{
	const struct model *model = report->model;
	uint32_t id = model->loads_seen ? model->loader_place : model->input_place;
	const struct meta_PLACE *place = id != 0 ? lookup_place(&model->lookup, id) : NULL;
	bool user = place != NULL && place->user_file != 0;
	if (place != NULL) {
		finding->file = text_or_null(report, user ? place->user_file : place->file);
		finding->function =
			text_or_null(report, user ? place->user_function : place->function);
		finding->line = user ? place->user_line : place->line;
	}
	if (place == NULL || finding->file == NULL)
		snprintf(finding->where, sizeof(finding->where), "the input");
	else
		describe_place(finding, place->address != 0, place->address);
}

static void write_texts(const struct report *report, struct finding *finding, const char *what)
{
	const struct rule *rule = &rules[finding->rule];
	char left[32];
	report_duration(finding->predicted_ns, left, sizeof(left));
	if (finding->gain_pct >= limit(report, THRESHOLD_GAIN))
		snprintf(finding->text, sizeof(finding->text),
			"%.200s %s; without it a step would take at least %s (%.1f %% less)", what,
			rule->title, left, finding->gain_pct);
	else
		snprintf(finding->text, sizeof(finding->text), "%.200s %s, which costs little here",
			what, rule->title);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(finding->advice, sizeof(finding->advice), rule->advice, finding->where);
#pragma GCC diagnostic pop
}

/* "3.0 calls per step", or "a call every 20 steps" when there are fewer. */
static const char *frequency(double calls, char *buffer, size_t size)
{
	if (calls >= 0.95)
		snprintf(buffer, size, "%.1f calls per step", calls);
	else
		snprintf(buffer, size, "one call every %.0f steps", 1 / calls);
	return buffer;
}

static void write_spot_evidence(
	const struct report *report, struct finding *finding, const struct spot_sums *sums)
{
	char often[64], host[32], waited[32], exposed[32], bytes[64] = "";
	uint64_t steady = report->steps.steady;
	uint64_t calls = sums->counted[SPOT_CALLS] > 0 ? sums->counted[SPOT_CALLS] : 1;
	if (sums->counted[SPOT_BYTES] > 0)
		snprintf(bytes, sizeof(bytes), ", %llu bytes each",
			(unsigned long long)(sums->counted[SPOT_BYTES] / calls));
	snprintf(finding->evidence, sizeof(finding->evidence),
		"%s%s; per step host %s in them, waiting %s for the GPU, GPU idle or only copying "
		"%s because of it (%llu steps)",
		frequency(finding->calls_per_step, often, sizeof(often)), bytes,
		report_duration(finding->host_ns, host, sizeof(host)),
		report_duration(sums->found[SPOT_WAITED_NS] / steady, waited, sizeof(waited)),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)),
		(unsigned long long)steady);
}

static void apply_to_spot(struct report *report, uint32_t index, const struct spot_sums *sums)
{
	const struct spot *spot = &report->model->spots->items[index];
	bool removed[SPOT_LIMIT] = {[0] = false};
	const struct removal removal = {.spots = removed};
	struct finding *finding = add(report, rule_of(report, spot, sums->counted));
	if (finding == NULL)
		return;
	uint64_t steady = report->steps.steady;
	removed[index] = true;
	finding->spot = index;
	finding->file = text_or_null(report, spot->file);
	finding->function = text_or_null(report, spot->function);
	finding->line = spot->line;
	finding->op = text_or_null(report, spot->outer_op);
	finding->stream = spot->stream;
	finding->calls_per_step = (double)sums->counted[SPOT_CALLS] / (double)steady;
	finding->host_ns = sums->counted[SPOT_HOST_NS] / steady;
	finding->exposed_ns = sums->found[SPOT_EXPOSED_NS] / steady;
	predict(report, &removal, finding);
	describe_place(finding, spot->native, spot->address);
	write_spot_evidence(report, finding, sums);
	write_texts(report, finding, finding->where);
}

static void apply_to_spots(struct report *report)
{
	const struct spots *spots = report->model->spots;
	for (uint32_t i = 1; i < spots->count; i++) {
		struct spot_sums sums;
		series_sum(&spots->items[i].counted, report->steps.first, report->steps.until,
			sums.counted);
		series_sum(&spots->items[i].found, report->steps.first, report->steps.until,
			sums.found);
		if (sums.counted[SPOT_CALLS] > 0)
			apply_to_spot(report, i, &sums);
	}
}

static void apply_input(struct report *report)
{
	const struct model *model = report->model;
	const struct removal removal = {.input = true};
	uint64_t steady = report->steps.steady;
	if (report->reader_pct <= limit(report, THRESHOLD_IO))
		return;
	enum rule_id wanted[] = {RULE_INPUT_BOUND, RULE_INPUT_SINGLE_PROCESS};
	unsigned count = model->loads_seen && model->in_process ? 2 : 1;
	for (unsigned i = 0; i < count; i++) {
		struct finding *finding = add(report, wanted[i]);
		if (finding == NULL)
			return;
		uint64_t reader = report->counted[MODEL_LOADS] > 0
					  ? report->counted[MODEL_LOAD_NS]
					  : report->swept[SWEEP_PIECES + PIECE_INPUT];
		finding->op = text_or_null(report, model->loader_name);
		finding->host_ns = reader / steady;
		finding->exposed_ns = report->swept[CAUSE_IDLE_INPUT] / steady;
		if (report->counted[MODEL_LOADS] > 0)
			finding->calls_per_step =
				(double)report->counted[MODEL_LOADS] / (double)steady;
		describe_input(report, finding);
		predict(report, &removal, finding);
		char host[32], exposed[32];
		snprintf(finding->evidence, sizeof(finding->evidence),
			"%s per step waiting for data, %.1f %% of it (limit %g %%); GPU idle %s "
			"because of it (%llu steps)",
			report_duration(finding->host_ns, host, sizeof(host)), report->reader_pct,
			limit(report, THRESHOLD_IO),
			report_duration(finding->exposed_ns, exposed, sizeof(exposed)),
			(unsigned long long)steady);
		char what[sizeof(finding->where) + 1];
		snprintf(what, sizeof(what), "%s:", finding->where);
		write_texts(report, finding, what);
	}
}

static void apply_launch(struct report *report)
{
	const struct removal removal = {.launch = true};
	uint64_t steady = report->steps.steady;
	double idle = report->account[CAUSE_IDLE_LAUNCH].tenths / 10.0;
	if (idle < limit(report, THRESHOLD_LAUNCH) ||
		report->busy_low_pct > limit(report, THRESHOLD_CPU))
		return;
	struct finding *finding = add(report, RULE_LAUNCH_BOUND);
	if (finding == NULL)
		return;
	uint64_t launches = report->counted[MODEL_LAUNCHES];
	finding->calls_per_step = (double)launches / (double)steady;
	finding->host_ns = report->swept[SWEEP_PIECES + PIECE_LAUNCH] / steady;
	finding->exposed_ns = report->swept[CAUSE_IDLE_LAUNCH] / steady;
	snprintf(finding->where, sizeof(finding->where), "the training loop");
	predict(report, &removal, finding);
	char host[32], exposed[32], each[32];
	snprintf(finding->evidence, sizeof(finding->evidence),
		"%.1f launches per step, one per %s of host time; host %s launching, GPU idle %s "
		"meanwhile (per step, %llu steps)",
		finding->calls_per_step,
		report_duration(
			launches > 0 ? report->swept[SWEEP_PIECES + PIECE_LAUNCH] / launches : 0,
			each, sizeof(each)),
		report_duration(finding->host_ns, host, sizeof(host)),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)),
		(unsigned long long)steady);
	write_texts(report, finding, "launching:");
}

/* Most gain first; then by place, so that the order never depends on chance. */
static int by_gain(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	if (x->gain_pct != y->gain_pct)
		return x->gain_pct > y->gain_pct ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	return x->spot < y->spot ? -1 : x->spot > y->spot;
}

/* Everything mended at once, but launching: that is another program. */
static void predict_all(struct report *report)
{
	bool removed[SPOT_LIMIT] = {[0] = false};
	struct removal all = {.spots = removed};
	struct finding together = {0};
	unsigned counted = 0;
	for (unsigned i = 0; i < report->finding_count; i++) {
		const struct finding *finding = &report->findings[i];
		if (finding->rule == RULE_LAUNCH_BOUND)
			continue;
		counted++;
		removed[finding->spot] |= finding->spot != 0;
		all.input |= finding->rule == RULE_INPUT_BOUND;
	}
	if (counted == 0)
		return;
	predict(report, &all, &together);
	report->predicted_ns = together.predicted_ns;
}

void rules_apply(struct report *report)
{
	apply_to_spots(report);
	apply_input(report);
	apply_launch(report);
	qsort(report->findings, report->finding_count, sizeof(report->findings[0]), by_gain);
	predict_all(report);
}
