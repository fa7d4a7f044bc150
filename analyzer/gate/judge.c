/* SPDX-License-Identifier: MIT */
#include "analyzer/gate/judge.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/gate/match.h"

/* What counts of a site do to a total of the run. */
static const struct effect {
	const char *site, *total;
} effects[] = {
	{"syncs", "syncs"},
	{"syncs", "copies"},
	{"syncs", "copies_pageable"},
	{"copies_in", "syncs"},
	{"copies_in", "copies"},
	{"copies_in", "copies_pageable"},
	{"copies_in", "to_device_bytes"},
	{"copies_in_bytes", "to_device_bytes"},
	{"copies_in_pageable", "copies_pageable"},
	{"copies_in_pageable", "syncs"},
	{"copies_async", "copies"},
	{"copies_async", "to_device_bytes"},
	{"copies_async", "to_host_bytes"},
	{"copies_async_bytes", "to_device_bytes"},
	{"copies_async_bytes", "to_host_bytes"},
	{"sync_bytes", "to_host_bytes"},
	{"syncs", "to_host_bytes"},
	{"launches", "launches"},
	{"launches", "collectives"},
	{"launches", "graph_launches"},
};

/* A number of a site that follows from another one of the same line. */
static const struct effect details[] = {
	{"syncs", "sync_bytes"},
	{"copies_in", "copies_in_bytes"},
	{"copies_in", "copies_in_pageable"},
	{"copies_async", "copies_async_bytes"},
};

static bool has_effect(const struct effect *list, size_t count, const char *site, const char *total)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].site, site) == 0 && strcmp(list[i].total, total) == 0)
			return true;
	return false;
}
#define HAS_EFFECT(list, site, total)                                                              \
	has_effect(list, sizeof(list) / sizeof((list)[0]), site, total)

/* What of a key names the place and its line. */
static const char *place_part(const char *key)
{
	const char *at = strstr(key, ROW_SEP);
	return at != NULL ? at : "";
}

static void describe(const struct match_pair *pair, const struct baseline *baseline,
	const struct summary *run, struct gate_failure *failure)
{
	const struct gate_row *row = pair->is != NULL ? pair->is : pair->was;
	*failure = (struct gate_failure){.kind = GATE_COUNT, .place = row->place};
	(void)row_what(row, failure->what, sizeof(failure->what));
	(void)gate_rate(pair->was_total, baseline->steps, failure->was);
	(void)gate_rate(pair->is_total, run->steps, failure->is);
	(void)snprintf(failure->key, sizeof(failure->key), "%s", row->key);
	if (pair->is == NULL && row->site)
		(void)snprintf(failure->text, sizeof(failure->text), "gone: %.600s",
			place_part(row->key) + strlen(ROW_SEP));
	else if (pair->is_lines > 1 && row->place.line > 0)
		(void)snprintf(failure->text, sizeof(failure->text),
			"or another of %llu lines there that do this: a trace or the baseline "
			"lacks their text",
			(unsigned long long)pair->is_lines);
}

static bool same_line(const struct gate_failure *a, const struct gate_failure *b)
{
	return strcmp(place_part(a->key), place_part(b->key)) == 0;
}

/* A failure that says no more than another one. */
static bool follows(const struct gate_result *result, const struct gate_failure *failure, bool site)
{
	for (size_t i = 0; i < result->failures.count; i++) {
		const struct gate_failure *other = &result->failures.items[i];
		if (strncmp(other->key, "site ", 5) != 0)
			continue;
		if (site ? same_line(other, failure) &&
					HAS_EFFECT(details, other->what, failure->what)
			 : HAS_EFFECT(effects, other->what, failure->what))
			return true;
	}
	return false;
}

/* Sites first, so that totals that follow from them stand apart. 0 or -ENOMEM. */
static int take_pairs(struct gate_result *result, const match_pairs *pairs,
	const struct baseline *baseline, const struct summary *run)
{
	int err = 0;
	for (unsigned pass = 0; pass < 3; pass++)
		for (size_t i = 0; i < pairs->count && err == 0; i++) {
			const struct match_pair *pair = &pairs->items[i];
			const struct gate_row *row = pair->is != NULL ? pair->is : pair->was;
			struct gate_failure failure;
			describe(pair, baseline, run, &failure);
			bool detail = strstr(failure.what, "_bytes") != NULL ||
				      strstr(failure.what, "_pageable") != NULL;
			if (pass != (row->site ? (unsigned)detail : 2))
				continue;
			if (pass == 0 || !follows(result, &failure, row->site))
				err = gate_fail(result, &failure);
			else if (!row->site)
				err = vec_push(&result->totals, failure);
		}
	return err;
}

static int pairs_of(const struct baseline *baseline, const struct summary *run, gate_rows *rows,
	match_pairs *pairs)
{
	int err = gate_rows_of(rows, run);
	return err < 0 ? err
		       : match_rows(&baseline->rows, rows, baseline->steps, run->steps, pairs);
}

static bool contains(const match_pairs *pairs, const struct match_pair *wanted)
{
	const struct gate_row *row = wanted->is != NULL ? wanted->is : wanted->was;
	for (size_t i = 0; i < pairs->count; i++) {
		const struct match_pair *pair = &pairs->items[i];
		const struct gate_row *other = pair->is != NULL ? pair->is : pair->was;
		if (strcmp(row->key, other->key) == 0)
			return true;
	}
	return false;
}

/* Keep of the pairs what differs in this run, too. */
static int narrow(struct gate_result *result, const struct baseline *baseline,
	const struct summary *run, match_pairs *pairs)
{
	gate_rows rows = {0};
	match_pairs others = {0};
	size_t kept = 0;
	int err = pairs_of(baseline, run, &rows, &others);
	for (size_t i = 0; i < pairs->count && err == 0; i++) {
		bool both = contains(&others, &pairs->items[i]);
		result->varying += !both;
		if (both)
			pairs->items[kept++] = pairs->items[i];
	}
	if (err == 0) {
		size_t common = kept;
		result->varying += others.count > common ? others.count - common : 0;
		pairs->count = kept;
	}
	vec_release(&others);
	gate_rows_release(&rows);
	return err;
}

/* Both sides have it, and not as often in each step: chance may be what differs. */
static bool may_be_chance(const match_pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++) {
		const struct gate_row *was = pairs->items[i].was, *is = pairs->items[i].is;
		if (was != NULL && is != NULL && was->site && was->total > 0 && is->total > 0 &&
			!row_is_even(was) && !row_is_even(is))
			return true;
	}
	return false;
}

/* What else has to be known to judge the counts that failed, or did not. */
static int remark_counts(struct gate_result *result, const struct baseline *baseline,
	const struct summary *runs, const match_pairs *pairs)
{
	int err = 0;
	if (result->varying > 0)
		err = gate_remark(result,
			"%llu counts are not the baseline's in some of the runs only; write the "
			"baseline from several runs to leave them out",
			(unsigned long long)result->varying);
	else if (baseline->runs == 1 && may_be_chance(pairs))
		err = gate_remark(result,
			"the baseline is of one run: if it is chance how often a line is reached, "
			"write it from several runs, which leaves that out");
	if (err == 0 && runs->steps != baseline->steps)
		err = gate_remark(result,
			"%llu steps are counted, the baseline has %llu: what does not come in "
			"every step may come once more or less; record as many steps to judge it "
			"exactly",
			(unsigned long long)runs->steps, (unsigned long long)baseline->steps);
	return err;
}

int judge_counts(struct gate_result *result, const struct baseline *baseline,
	const struct summary *runs, size_t count)
{
	gate_rows rows = {0};
	match_pairs pairs = {0};
	int err = pairs_of(baseline, &runs[0], &rows, &pairs);
	for (size_t i = 1; i < count && err == 0; i++)
		err = narrow(result, baseline, &runs[i], &pairs);
	if (err == 0)
		err = take_pairs(result, &pairs, baseline, &runs[0]);
	for (size_t i = 0; i < baseline->rows.count; i++)
		result->rows += !baseline->rows.items[i].varies;
	if (err == 0)
		err = remark_counts(result, baseline, runs, &pairs);
	vec_release(&pairs);
	gate_rows_release(&rows);
	return err;
}

int judge_device(struct gate_result *result, const struct summary *runs, size_t count)
{
	size_t simulated = 0;
	for (size_t i = 0; i < count; i++)
		simulated += summary_simulated(&runs[i]);
	if (simulated == 0)
		return 0;
	return gate_remark(result,
		"%s recorded on a simulated GPU: counts are the program's, times are modelled",
		simulated == count ? "the runs were" : "some of the runs were");
}

int judge_ranks(struct gate_result *result, const struct summary *run)
{
	if (run->ranks < 2 || run->rank < 0 || run->others.count > 0)
		return 0;
	return gate_remark(result,
		"rank %lld is judged, and none of the other %llu: what one of them alone does is "
		"not seen; give the run's folder to judge all",
		(long long)run->rank, (unsigned long long)run->ranks - 1);
}

/* Whether the times of both sides are of one kind of device: modelled ones, or a GPU's. */
static bool same_device(const struct baseline *baseline, const struct summary *runs, size_t count)
{
	bool simulated = false;
	for (size_t i = 0; i < baseline->versions.count; i++)
		simulated |= strcmp(baseline->versions.items[i].name, SUMMARY_SIMULATED) == 0;
	for (size_t i = 0; i < count; i++)
		if (summary_simulated(&runs[i]) != simulated)
			return false;
	return true;
}

int judge_times(struct gate_result *result, const struct baseline *baseline,
	const struct summary *runs, size_t count)
{
	VEC(uint64_t) times = {0};
	int err = 0;
	for (size_t i = 0; i < count && err == 0; i++)
		if (runs[i].p10_ns != SUMMARY_UNKNOWN && runs[i].p10_ns > 0)
			err = vec_push(&times, runs[i].p10_ns);
	if (err == 0 && (times.count < TIMES_RUNS || baseline->times.count < TIMES_RUNS)) {
		vec_release(&times);
		return 0;
	}
	if (err == 0 && !same_device(baseline, runs, count)) {
		vec_release(&times);
		return gate_remark(result, "times are not judged: those of a simulated GPU are "
					   "modelled, those of a real one are not");
	}
	if (err == 0) {
		result->timed = true;
		result->times = times_judge(
			baseline->times.items, baseline->times.count, times.items, times.count);
	}
	vec_release(&times);
	if (err < 0 || !result->times.slower)
		return err;
	struct gate_failure failure = {
		.kind = GATE_TIME, .what = "step time", .key = "time p10_ns"};
	(void)snprintf(failure.was, sizeof(failure.was), "%.2f ms", result->times.base_ns / 1e6);
	(void)snprintf(failure.is, sizeof(failure.is), "%.2f ms", result->times.new_ns / 1e6);
	(void)snprintf(failure.text, sizeof(failure.text), "%.1f %% slower, p = %.4f",
		100 * (result->times.factor - 1), result->times.p);
	return gate_fail(result, &failure);
}

int judge_versions(
	struct gate_result *result, const struct baseline *baseline, const struct summary *run)
{
	for (size_t i = 0; i < baseline->versions.count; i++) {
		const struct baseline_version *version = &baseline->versions.items[i];
		const char *is = summary_version(run, version->name);
		if (is != NULL && strcmp(is, version->value) == 0)
			continue;
		if (gate_remark(result,
			    "%s is %s, the baseline was written with %s: counts may differ "
			    "because of that",
			    version->name, is != NULL ? is : "not there", version->value) < 0)
			return -ENOMEM;
	}
	return 0;
}
