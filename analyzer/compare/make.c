/* SPDX-License-Identifier: MIT */
#include "analyzer/compare/make.h"

#include <math.h>
#include <string.h>

#include "analyzer/compare/rows.h"
#include "analyzer/compare/uneven.h"
#include "analyzer/summary/middle.h"

#define NOISE_PCT 5.0 /* of a finding's time, that it may differ by without being another */

struct sides {
	const struct summary *base, *next;
	size_t base_count, next_count;
};

static struct compare_pair pair_of(const struct summary *base, size_t base_count,
	const struct summary *next, size_t next_count, summary_number *get)
{
	double before = summary_middle(base, base_count, get, NULL);
	double after = summary_middle(next, next_count, get, NULL);
	return (struct compare_pair){.known = before >= 0 && after >= 0,
		.base = fmax(before, 0),
		.next = fmax(after, 0)};
}

static struct compare_cause *find_cause(struct comparison *comparison, const char *name)
{
	for (size_t i = 0; i < comparison->causes.count; i++)
		if (strcmp(comparison->causes.items[i].cause, name) == 0)
			return &comparison->causes.items[i];
	struct compare_cause cause = {.cause = name, .ns = {.known = true}};
	if (vec_push(&comparison->causes, cause) < 0)
		return NULL;
	return &comparison->causes.items[comparison->causes.count - 1];
}

static int add_causes(
	struct comparison *comparison, const struct summary *runs, size_t count, bool next)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < runs[i].causes.count; k++) {
			struct compare_cause *cause =
				find_cause(comparison, runs[i].causes.items[k].cause);
			if (cause == NULL)
				return -ENOMEM;
			*(next ? &cause->ns.next : &cause->ns.base) +=
				(double)runs[i].causes.items[k].ns_per_step / (double)count;
		}
	return 0;
}

static int by_change(const void *a, const void *b)
{
	const struct compare_cause *x = a, *y = b;
	double first = fabs(compare_change(&x->ns)), second = fabs(compare_change(&y->ns));
	return first != second ? (first < second) - (first > second) : strcmp(x->cause, y->cause);
}

/* What the causes say of the difference, and what they leave open. */
static void explain(struct comparison *comparison)
{
	double difference = compare_change(&comparison->step_ns);
	for (size_t i = 0; i < comparison->causes.count; i++) {
		const struct compare_cause *cause = &comparison->causes.items[i];
		if (strcmp(cause->cause, "unexplained") != 0)
			comparison->explained_ns += compare_change(&cause->ns);
	}
	comparison->unexplained_ns = difference - comparison->explained_ns;
	if (comparison->causes.count > 0)
		qsort(comparison->causes.items, comparison->causes.count,
			sizeof(comparison->causes.items[0]), by_change);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* An operator as it is called without what belongs to one kind of it. */
static bool same_op(const char *a, const char *b)
{
	size_t first = a != NULL ? strcspn(a, "#") : 0, second = b != NULL ? strcspn(b, "#") : 0;
	return first == second && (first == 0 || memcmp(a, b, first) == 0);
}

/* The same rule in the same function: lines may have moved, a loader may be of another kind. */
static bool same_finding(const struct summary_finding *a, const struct summary_finding *b)
{
	return strcmp(a->rule, b->rule) == 0 && strcmp(a->place.path, b->place.path) == 0 &&
	       same_text(a->place.function, b->place.function) && same_op(a->place.op, b->place.op);
}

/* Which of several alike: the first in one is the first in the other. */
static const struct summary_finding *find_finding(
	const struct summary *in, const struct summary *of, size_t index)
{
	size_t skip = 0;
	for (size_t i = 0; i < index; i++)
		skip += same_finding(&of->findings.items[i], &of->findings.items[index]);
	for (size_t i = 0; i < in->findings.count; i++)
		if (same_finding(&in->findings.items[i], &of->findings.items[index]) && skip-- == 0)
			return &in->findings.items[i];
	return NULL;
}

static double cost_of(const struct summary_finding *finding)
{
	if (finding == NULL)
		return 0;
	return finding->exposed_ns != SUMMARY_UNKNOWN ? (double)finding->exposed_ns
						      : (double)finding->host_ns;
}

static int add_finding(struct comparison *comparison, const struct summary_finding *base,
	const struct summary_finding *next)
{
	struct compare_finding finding = {
		.base = base, .next = next, .exposed_ns = {cost_of(base), cost_of(next), true}};
	double change = compare_change(&finding.exposed_ns);
	bool noise = fabs(change) <= finding.exposed_ns.base * NOISE_PCT / 100;
	finding.state = base == NULL   ? COMPARE_NEW
			: next == NULL ? COMPARE_GONE
			: noise        ? COMPARE_SAME
			: change > 0   ? COMPARE_WORSE
				       : COMPARE_BETTER;
	return vec_push(&comparison->findings, finding);
}

static int by_cost(const void *a, const void *b)
{
	const struct compare_finding *x = a, *y = b;
	double first = fabs(compare_change(&x->exposed_ns));
	double second = fabs(compare_change(&y->exposed_ns));
	return first != second ? (first < second) - (first > second)
			       : (int)x->state - (int)y->state;
}

static int add_findings(struct comparison *comparison)
{
	const struct summary *base = comparison->base, *next = comparison->next;
	int err = 0;
	for (size_t i = 0; i < next->findings.count && err == 0; i++)
		err = add_finding(
			comparison, find_finding(base, next, i), &next->findings.items[i]);
	for (size_t i = 0; i < base->findings.count && err == 0; i++)
		if (find_finding(next, base, i) == NULL)
			err = add_finding(comparison, &base->findings.items[i], NULL);
	if (comparison->findings.count > 0)
		qsort(comparison->findings.items, comparison->findings.count,
			sizeof(comparison->findings.items[0]), by_cost);
	return err;
}

static int make(struct comparison *comparison, const struct summary *base, size_t base_count,
	const struct summary *next, size_t next_count)
{
	*comparison = (struct comparison){.base = base,
		.next = next,
		.base_runs = base_count,
		.next_runs = next_count,
		.step_ns = pair_of(base, base_count, next, next_count, summary_step),
		.reader_pct = pair_of(base, base_count, next, next_count, summary_reader),
		.busy_pct = pair_of(base, base_count, next, next_count, summary_busy),
		.host_pct = pair_of(base, base_count, next, next_count, summary_host)};
	(void)summary_middle(base, base_count, summary_step, &comparison->base_spread_pct);
	(void)summary_middle(next, next_count, summary_step, &comparison->next_spread_pct);
	int err = add_causes(comparison, base, base_count, false);
	if (err == 0)
		err = add_causes(comparison, next, next_count, true);
	if (err == 0)
		err = add_findings(comparison);
	for (unsigned part = 0; part < COMPARE_PART_COUNT && err == 0; part++)
		err = rows_compare(comparison, (enum compare_part)part, base, next);
	explain(comparison);
	return err;
}

/* One rank of every run of both sides, those of the base first. */
static int make_rank(struct comparison *comparison, const struct sides *sides, size_t base_index,
	size_t next_index)
{
	size_t count = sides->base_count + sides->next_count;
	struct summary *own = count > 0 ? calloc(count, sizeof(*own)) : NULL;
	for (size_t i = 0; own != NULL && i < count; i++)
		own[i] = i < sides->base_count
				 ? *summary_rank(&sides->base[i], base_index)
				 : *summary_rank(&sides->next[i - sides->base_count], next_index);
	if (own == NULL)
		return -ENOMEM;
	int err = make(
		comparison, own, sides->base_count, own + sides->base_count, sides->next_count);
	comparison->own = own;
	return err;
}

/* That rank of a side; its number of ranks: there is none. */
static size_t index_of(const struct summary *run, int64_t rank)
{
	size_t i = 0;
	while (i <= run->others.count && summary_rank(run, i)->rank != rank)
		i++;
	return i;
}

int comparison_make(struct comparison *comparison, const struct summary *base, size_t base_count,
	const struct summary *next, size_t next_count)
{
	const struct sides sides = {base, next, base_count, next_count};
	bool first = true;
	int err = 0;
	if (base->others.count == 0 && next->others.count == 0)
		return make(comparison, base, base_count, next, next_count);
	*comparison = (struct comparison){0};
	for (size_t i = 0; i <= base->others.count && err == 0; i++) {
		size_t k = index_of(next, summary_rank(base, i)->rank);
		struct comparison other = {0};
		if (k > next->others.count)
			continue;
		err = make_rank(first ? comparison : &other, &sides, i, k);
		if (!first && err == 0)
			err = vec_push(&comparison->others, other);
		if (!first && err < 0)
			comparison_release(&other);
		first = false;
	}
	if (first)
		err = make_rank(comparison, &sides, 0, 0);
	return err < 0 ? err : uneven_find(comparison);
}

void comparison_release(struct comparison *comparison)
{
	vec_release(&comparison->causes);
	vec_release(&comparison->findings);
	for (unsigned part = 0; part < COMPARE_PART_COUNT; part++)
		vec_release(&comparison->rows[part]);
	VEC_FOREACH (other, &comparison->others)
		comparison_release(other);
	vec_release(&comparison->others);
	vec_release(&comparison->uneven);
	vec_release(&comparison->uneven_ranks);
	free(comparison->own);
}
