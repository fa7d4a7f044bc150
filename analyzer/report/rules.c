/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/report.h"

/* Smaller copies have no bandwidth worth a word. */
#define BANDWIDTH_BYTES 16384u

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
	*finding = (struct finding){.rule = rule,
		.part_of = rule,
		.stream = REPORT_UNKNOWN,
		.calls_per_step = REPORT_UNKNOWN_PCT};
	return finding;
}

static double per_step(const struct report *report, uint64_t sum)
{
	return (double)sum / (double)report->steps.steady;
}

/* Share of a step. */
static double share_pct(const struct report *report, uint64_t sum)
{
	uint64_t mean_ns = report->steps.mean_ns;
	return mean_ns > 0 ? 100.0 * per_step(report, sum) / (double)mean_ns : 0;
}

/* A copy that holds nobody is a finding only when that costs something. */
static enum rule_id rule_of_copy(
	const struct report *report, const struct spot *spot, const struct spot_sums *sums)
{
	const uint64_t *counted = sums->counted;
	uint64_t calls = counted[SPOT_CALLS], exposed_ns = sums->found[SPOT_EXPOSED_NS];
	double small = limit(report, THRESHOLD_COPY_SMALL) * 1024;
	bool large = (double)counted[SPOT_BYTES] / (double)calls > small;
	bool many = !large && per_step(report, calls) > limit(report, THRESHOLD_COPY_MANY);
	if (spot->kind == SPOT_COPY_FREE) {
		double cost_pct = share_pct(report, exposed_ns + counted[SPOT_HOST_NS]);
		if (many && cost_pct >= limit(report, THRESHOLD_GAIN))
			return RULE_COPY_MANY_SMALL;
		return share_pct(report, exposed_ns) >= limit(report, THRESHOLD_COPY_EXPOSED)
			       ? RULE_COPY_NOT_OVERLAPPED
			       : RULE_COUNT;
	}
	if (many)
		return RULE_COPY_MANY_SMALL;
	bool pageable = 2 * counted[SPOT_PAGEABLE] >= calls;
	bool async = 2 * counted[SPOT_ASYNC] >= calls;
	return pageable && (async || !large) ? RULE_COPY_PAGEABLE_ASYNC : RULE_COPY_SYNC_LARGE;
}

/* RULE_COUNT: nothing is the matter. */
static enum rule_id rule_of(
	const struct report *report, const struct spot *spot, const struct spot_sums *sums)
{
	const uint64_t *counted = sums->counted;
	if (spot->kind != SPOT_WAIT)
		return rule_of_copy(report, spot, sums);
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
	bool part = finding->part_of != finding->rule;
	report_duration(finding->predicted_ns, left, sizeof(left));
	if (part)
		snprintf(finding->text, sizeof(finding->text), "%.200s %s: the reason for %s", what,
			rule->title, rules[finding->part_of].name);
	else if (finding->gain_pct >= limit(report, THRESHOLD_GAIN))
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

/* What the line's copies took on the device, as far as it was measured: "..." or "". */
static const char *device_text(
	const struct report *report, const struct spot_sums *sums, char *buffer, size_t size)
{
	char took[32], speed[48] = "";
	uint64_t device_ns = sums->found[SPOT_DEVICE_NS];
	buffer[0] = '\0';
	if (device_ns == 0)
		return buffer;
	/* what a few bytes take is latency */
	if (sums->counted[SPOT_BYTES] / sums->counted[SPOT_CALLS] >= BANDWIDTH_BYTES)
		snprintf(speed, sizeof(speed), " at %.3g GB/s",
			(double)sums->found[SPOT_DEVICE_BYTES] / (double)device_ns);
	snprintf(buffer, size, ", copying %s on the device%s",
		report_duration(device_ns / report->steps.steady, took, sizeof(took)), speed);
	return buffer;
}

static void write_spot_evidence(
	const struct report *report, struct finding *finding, const struct spot_sums *sums)
{
	char often[64], host[32], waited[32], exposed[32], bytes[64] = "", device[96];
	uint64_t steady = report->steps.steady;
	uint64_t calls = sums->counted[SPOT_CALLS];
	bool waits = report->model->spots->items[finding->spot].kind != SPOT_COPY_FREE;
	if (sums->counted[SPOT_BYTES] > 0)
		snprintf(bytes, sizeof(bytes), ", %llu bytes each",
			(unsigned long long)(sums->counted[SPOT_BYTES] / calls));
	size_t used = (size_t)snprintf(finding->evidence, sizeof(finding->evidence),
		"%s%s; per step host %s in them%s",
		frequency(finding->calls_per_step, often, sizeof(often)), bytes,
		report_duration(finding->host_ns, host, sizeof(host)),
		device_text(report, sums, device, sizeof(device)));
	report_duration(finding->exposed_ns, exposed, sizeof(exposed));
	if (waits)
		snprintf(finding->evidence + used, sizeof(finding->evidence) - used,
			", waiting %s for the GPU, GPU idle or only copying %s because of it "
			"(%llu steps)",
			report_duration(
				sums->found[SPOT_WAITED_NS] / steady, waited, sizeof(waited)),
			exposed, (unsigned long long)steady);
	else
		snprintf(finding->evidence + used, sizeof(finding->evidence) - used,
			", GPU only copying %s of it (%llu steps)", exposed,
			(unsigned long long)steady);
}

static void sum_spot(
	const struct report *report, const struct spot *spot, struct spot_sums *ret_sums)
{
	series_sum(&spot->counted, report->steps.first, report->steps.until, ret_sums->counted);
	series_sum(&spot->found, report->steps.first, report->steps.until, ret_sums->found);
}

/*
 * The spot that stands for the line in findings: a copy that does not hold the host, but that the
 * line then waits for, is part of the wait. Another spot of the line or spot itself.
 */
static const struct spot *spot_of_line(const struct report *report, const struct spot *spot)
{
	static const enum spot_kind kinds[] = {SPOT_COPY_IN, SPOT_WAIT};
	struct spot_sums own, sums;
	if (spot->kind != SPOT_COPY_FREE)
		return spot;
	sum_spot(report, spot, &own);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct spot *other = spots_partner(report->model->spots, spot, kinds[i]);
		if (other == NULL)
			continue;
		sum_spot(report, other, &sums);
		if (2 * sums.counted[SPOT_CALLS] >= own.counted[SPOT_CALLS])
			return other;
	}
	return spot;
}

/* The copies that are part of a line's wait, or NULL. */
static const struct spot *copies_of(const struct report *report, const struct spot *spot)
{
	const struct spot *copies = spots_partner(report->model->spots, spot, SPOT_COPY_FREE);
	return copies != NULL && copies != spot && spot_of_line(report, copies) == spot ? copies
											: NULL;
}

/* Take a finding's line away, in all that it does. */
static void remove_line(const struct report *report, uint32_t index, bool *removed)
{
	const struct spots *spots = report->model->spots;
	removed[index] = true;
	const struct spot *copies = copies_of(report, &spots->items[index]);
	if (copies != NULL)
		removed[spot_index(spots, copies)] = true;
}

static void apply_to_spot(struct report *report, uint32_t index, const struct spot_sums *sums)
{
	const struct spot *spot = &report->model->spots->items[index];
	bool removed[SPOT_LIMIT] = {[0] = false};
	const struct removal removal = {.spots = removed};
	enum rule_id rule = rule_of(report, spot, sums);
	struct finding *finding = rule != RULE_COUNT ? add(report, rule) : NULL;
	if (finding == NULL)
		return;
	uint64_t steady = report->steps.steady;
	remove_line(report, index, removed);
	finding->spot = index;
	finding->file = text_or_null(report, spot->file);
	finding->function = text_or_null(report, spot->function);
	finding->line = spot->line;
	finding->op = text_or_null(report, spot->outer_op);
	finding->stream = spot->stream;
	finding->calls_per_step = per_step(report, sums->counted[SPOT_CALLS]);
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
		const struct spot *spot = &spots->items[i];
		struct spot_sums sums, more = {0};
		if (spot_of_line(report, spot) != spot)
			continue;
		sum_spot(report, spot, &sums);
		const struct spot *copies = copies_of(report, spot);
		if (copies != NULL)
			sum_spot(report, copies, &more);
		for (unsigned value = 0; value < SPOT_FINDING_COUNT; value++)
			sums.found[value] += more.found[value];
		if (sums.counted[SPOT_CALLS] > 0)
			apply_to_spot(report, i, &sums);
	}
}

/* How long a step waits for data, and what the GPU loses by it. */
static void write_input_evidence(const struct report *report, struct finding *finding)
{
	char host[32], exposed[32];
	snprintf(finding->evidence, sizeof(finding->evidence),
		"%s per step waiting for data, %.1f %% of it (limit %g %%); GPU idle %s "
		"because of it (%llu steps)",
		report_duration(finding->host_ns, host, sizeof(host)), report->reader_pct,
		limit(report, THRESHOLD_IO),
		report_duration(finding->exposed_ns, exposed, sizeof(exposed)),
		(unsigned long long)report->steps.steady);
}

static struct finding *add_input(struct report *report, enum rule_id rule)
{
	const struct model *model = report->model;
	struct finding *finding = add(report, rule);
	if (finding == NULL)
		return NULL;
	uint64_t steady = report->steps.steady;
	uint64_t reader = report->counted[MODEL_LOADS] > 0
				  ? report->counted[MODEL_LOAD_NS]
				  : report->swept[SWEEP_PIECES + PIECE_INPUT];
	finding->op = text_or_null(report, model->loader_name);
	finding->host_ns = reader / steady;
	finding->exposed_ns = report->swept[CAUSE_IDLE_INPUT] / steady;
	if (report->counted[MODEL_LOADS] > 0)
		finding->calls_per_step = per_step(report, report->counted[MODEL_LOADS]);
	describe_input(report, finding);
	write_input_evidence(report, finding);
	return finding;
}

static void apply_input(struct report *report)
{
	const struct model *model = report->model;
	const struct removal removal = {.input = true};
	char what[sizeof(((struct finding *)NULL)->where) + 1];
	if (report->reader_pct <= limit(report, THRESHOLD_IO))
		return;
	struct finding *bound = add_input(report, RULE_INPUT_BOUND);
	if (bound == NULL)
		return;
	predict(report, &removal, bound);
	snprintf(what, sizeof(what), "%s:", bound->where);
	write_texts(report, bound, what);
	if (!model->loads_seen || !model->in_process)
		return;
	/* the reason for the other: the same time, so it is said once */
	struct finding *alone = add_input(report, RULE_INPUT_SINGLE_PROCESS);
	if (alone == NULL)
		return;
	alone->severity = bound->severity;
	alone->part_of = RULE_INPUT_BOUND;
	alone->whole_pct = bound->gain_pct;
	alone->exposed_ns = REPORT_UNKNOWN;
	alone->gain_pct = REPORT_UNKNOWN_PCT;
	write_texts(report, alone, what);
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
	char host[32], exposed[32], each[32], graphs[64] = "";
	if (report->counted[MODEL_GRAPHS] > 0)
		snprintf(graphs, sizeof(graphs), " (%.1f of them of whole graphs)",
			per_step(report, report->counted[MODEL_GRAPHS]));
	snprintf(finding->evidence, sizeof(finding->evidence),
		"%.1f launches per step%s, one per %s of host time; host %s launching, GPU idle "
		"%s meanwhile (per step, %llu steps)",
		finding->calls_per_step, graphs,
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
	double gain = x->part_of != x->rule ? x->whole_pct : x->gain_pct;
	double other = y->part_of != y->rule ? y->whole_pct : y->gain_pct;
	if (gain != other)
		return gain > other ? -1 : 1;
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
		if (finding->spot != 0)
			remove_line(report, finding->spot, removed);
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
