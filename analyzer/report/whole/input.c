/* SPDX-License-Identifier: MIT */
/* The loader, its workers and its files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/report/rules/evidence.h"
#include "analyzer/report/whole/pool.h"
#include "collector/format/record.h"

/* A load that takes so many times the median is a long one. */
#define LONG_TIMES 10u
/* Long loads have most of the time, and are few. */
#define LONG_SHARE_PCT 70.0
#define LONG_MANY      10u
#define LOADS_LEAST    20u
#define READS_LEAST    10u
/* Samples of stacks that say where workers are. */
#define SAMPLES_LEAST 40u

/* Long loads that are so close to each other are those of one begin of an epoch. */
#define LOADS_APART 2u
#define PLACES      16u

/* Where new workers start although there were some before, by lines of the program. */
struct restarts {
	uint32_t places[PLACES];
	unsigned place_count;
	size_t count, loads;
	uint64_t ns,
		first_ns; /* of these loads; of those for which the program's start is to blame */
};

static bool is_new_place(struct restarts *restarts, uint32_t place)
{
	for (unsigned i = 0; i < restarts->place_count; i++)
		if (restarts->places[i] == place)
			return false;
	if (restarts->place_count < PLACES)
		restarts->places[restarts->place_count++] = place;
	return true;
}

static int by_index(const void *a, const void *b)
{
	const struct fact_load *x = a, *y = b;
	return x->index < y->index ? -1 : x->index > y->index;
}

/*
 * Long loads, put in order: the first of each line are the start of its workers, which is paid in
 * any case, and so is the end of the last ones; what is warm-up is in no figure.
 */
static struct restarts find_restarts(
	const struct report *report, struct fact_load *loads, size_t count)
{
	struct restarts restarts = {.count = 0};
	bool paid = false;
	qsort(loads, count, sizeof(*loads), by_index);
	for (size_t i = 0; i < count; i++) {
		bool goes_on = i > 0 && loads[i].place == loads[i - 1].place &&
			       loads[i].index - loads[i - 1].index <= LOADS_APART;
		if (!goes_on)
			paid = is_new_place(&restarts, loads[i].place) ||
			       loads[i].index < report->steps.first ||
			       loads[i].index + 1 == report->facts->loads;
		restarts.count += !goes_on && !paid;
		restarts.loads += !paid;
		*(paid ? &restarts.first_ns : &restarts.ns) += loads[i].ns;
	}
	return restarts;
}

/* What would be saved if the workers stayed: a batch has to be made for each epoch still. */
static uint64_t saved_ns(
	const struct report *report, const struct restarts *restarts, uint64_t usual_ns)
{
	double made_ns = pool_known(report) ? report->workers.pool.settled_ns : 0;
	double kept_ns =
		(double)restarts->loads * (double)usual_ns + (double)restarts->count * made_ns;
	return (double)restarts->ns > kept_ns ? restarts->ns - (uint64_t)kept_ns : 0;
}

/* Of all loads, the shortest first: those from first on are long ones, and few. False: many are. */
static bool has_few_long(const struct fact_load *loads, size_t count, size_t *ret_first,
	uint64_t *ret_long_ns, uint64_t *ret_all_ns)
{
	uint64_t median_ns = loads[count / 2].ns;
	*ret_first = count;
	*ret_long_ns = *ret_all_ns = 0;
	for (size_t i = count; i-- > 0;) {
		*ret_all_ns += loads[i].ns;
		if (loads[i].ns <= LONG_TIMES * (median_ns + 1))
			continue;
		*ret_first = i;
		*ret_long_ns += loads[i].ns;
	}
	return (count - *ret_first) * LONG_MANY <= count;
}

bool rule_input_first_batch(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	struct facts *facts = report->facts;
	struct fact_load longest[FACTS_LOADS / LONG_MANY];
	const struct fact_load *loads;
	if (facts == NULL || facts->loads < LOADS_LEAST)
		return false;
	size_t count = facts_loads(facts, &loads), first;
	uint64_t median_ns = loads[count / 2].ns, long_ns, all_ns;
	if (!has_few_long(loads, count, &first, &long_ns, &all_ns))
		return false;
	memcpy(longest, loads + first, (count - first) * sizeof(*longest));
	struct restarts restarts = find_restarts(report, longest, count - first);
	uint64_t saved = saved_ns(report, &restarts, median_ns);
	double share = report_share(restarts.ns, all_ns - restarts.first_ns);
	/* each of them was the work of a worker at least that had not been there */
	if (restarts.count == 0 || share < LONG_SHARE_PCT || saved == 0 ||
		report->workers.pool.started < report->workers.count + restarts.count)
		return false;
	char took[32], median[32], save[32];
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"%zu of %zu loads, after workers had been started anew, took %s, %.0f %% of all "
		"waiting behind the first start; the others %s each (median)",
		restarts.loads, count, report_duration(restarts.ns, took, sizeof(took)), share,
		report_duration(median_ns, median, sizeof(median)));
	if (report->steps.steady > 0)
		evidence_add(finding, "; workers that stay would save %s a step",
			report_duration(saved / report->steps.steady, save, sizeof(save)));
	return true;
}

/*
 * A few batches take most of the time: the first ones of epochs, for which workers would wait as
 * well, or some that are dear. How many would be enough is not in the mean. False: they do not.
 */
static bool tell_few_long(const struct report *report, struct finding *finding)
{
	const struct fact_load *loads;
	struct facts *facts = report->facts;
	size_t first;
	uint64_t long_ns, all_ns;
	char took[32], median[32];
	if (facts == NULL || facts->loads < LOADS_LEAST)
		return false;
	size_t count = facts_loads(facts, &loads);
	if (!has_few_long(loads, count, &first, &long_ns, &all_ns) ||
		report_share(long_ns, all_ns) < LONG_SHARE_PCT)
		return false;
	evidence_add(finding,
		"; %zu of %zu batches took %s, %.0f %% of all loading, the others %s each "
		"(median): if those are the first ones of epochs, workers wait for the same "
		"(a sampler, files that are opened), and the loader is better made once",
		count - first, count, report_duration(long_ns, took, sizeof(took)),
		report_share(long_ns, all_ns),
		report_duration(loads[count / 2].ns, median, sizeof(median)));
	return true;
}

bool rule_input_single_process(const struct subject *subject, struct finding *finding)
{
	const struct spot *spot = &subject->report->model->spots->items[finding->spot];
	if (spot->kind != SPOT_LOAD || (spot->op_class & OPCLASS_IN_PROCESS) == 0)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding, "the loader has no worker processes: the loop stands still "
			      "while it makes each batch");
	if (!tell_few_long(subject->report, finding))
		pool_predict(subject->report, finding);
	return true;
}

/* How often the queue held a batch at least. */
static void tell_ready(
	const struct facts *facts, const struct depth *depth, struct finding *finding)
{
	if (depth->asks >= LOADS_LEAST) {
		evidence_add(finding,
			"; %.0f %% of %llu loads found their batch ready, %.0f %% found none",
			report_share(depth->asks - depth->missing, depth->asks),
			(unsigned long long)depth->asks, report_share(depth->none, depth->asks));
		return;
	}
	if (facts == NULL || facts->loads < LOADS_LEAST || facts->main_loads < facts->loads)
		return;
	evidence_add(finding, "; %.0f %% of %llu loads found a batch ready",
		report_share(facts->loads - facts->waited_loads, facts->loads),
		(unsigned long long)facts->loads);
}

/* Workers that mostly wait for something else than files: where, and what that means for them. */
static void tell_waiting(const struct pool *pool, struct finding *finding)
{
	if (2 * (pool->cpu_ns + pool->delay_ns) >= pool->work_ns)
		return;
	if (pool->samples >= SAMPLES_LEAST && 2 * pool->hot_samples >= pool->samples)
		evidence_add(finding, ", and %llu of %llu samples of their stacks are at %s",
			(unsigned long long)pool->hot_samples, (unsigned long long)pool->samples,
			pool->hot);
	if (finding->advice[0] == '\0')
		snprintf(finding->advice, sizeof(finding->advice),
			"The workers mostly wait, and not for files: more of them need hardly any "
			"processor. Or let each have several requests under way at a time "
			"(threads, asyncio), fetch more with each, or keep the data closer.");
}

bool rule_input_workers_saturated(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct report_workers *workers = &report->workers;
	const struct pool *pool = &workers->pool;
	double limit = report_limit(report, THRESHOLD_WORKERS);
	bool is_one = workers->count == 1;
	if (!pool_is_busy(report) || pool_is_of_files(report))
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding, "%u worker process%s", workers->count, is_one ? "" : "es at a time");
	if (!pool_known(report) || pool->work_ns <= 0)
		evidence_add(finding, ", %son a processor for %.0f to %.0f %% of it (limit %g %%)",
			is_one ? "" : "each ", workers->busy_least_pct, workers->busy_most_pct,
			limit);
	else
		evidence_add(finding,
			" %s busy for %.0f %% of it (limit %g %%), %.0f %% of that on a processor",
			is_one ? "is" : "are", 100 * (1 - pool->idle), limit,
			100 * fmin(1, pool->cpu_ns / pool->work_ns));
	if (pool_known(report) && pool->work_ns > 0)
		tell_waiting(pool, finding);
	tell_ready(report->facts, &workers->depth, finding);
	pool_predict(report, finding);
	pool_tell_handing(report, finding);
	return true;
}

/* Where they compute does not matter while they wait for the loop. */
bool rule_input_decode(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct pool *pool = &report->workers.pool;
	double computing = pool->cpu_ns + pool->delay_ns; /* or would, on a free processor */
	if (!pool_is_busy(report) || pool->work_ns <= 0 || pool->samples < SAMPLES_LEAST ||
		2 * pool->hot_samples < pool->samples || 2 * computing < pool->work_ns)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"%llu of %llu samples of the workers' stacks are at %s; the workers are on a "
		"processor, or ready for one, for %.0f %% of the time that they are busy",
		(unsigned long long)pool->hot_samples, (unsigned long long)pool->samples, pool->hot,
		100 * fmin(1, computing / pool->work_ns));
	pool_predict(report, finding);
	pool_tell_line(report, finding);
	return true;
}

/* More of them than processors do no harm while most wait for something else. */
bool rule_input_too_many_workers(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct report_workers *workers = &report->workers;
	const struct pool *pool = &workers->pool;
	unsigned processors = (unsigned)workers->processors;
	char step[32];
	if (!pool_has_workers(report) || processors == 0 || workers->count <= processors ||
		(pool->batches > 0 && !(pool_is_starved(pool) && pool_fills_processors(pool))))
		return false;
	evidence_add(finding, "%u worker processes at a time share %u processors", workers->count,
		processors);
	if (pool->batches <= 0)
		return true;
	evidence_add(finding,
		", and are ready to run but without one for %.0f %% of the time that they are busy",
		100 * pool->delay_ns / pool->work_ns);
	if (pool_is_of_processors(pool))
		evidence_add(finding, "; with %u of them a step would take as long: %s", processors,
			report_duration(report->steps.mean_ns, step, sizeof(step)));
	else
		evidence_add(finding, "; what fewer would do is not known, since others use the "
				      "processors too");
	return true;
}

bool rule_input_small_reads(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct facts *facts = report->facts;
	double read_pct = report_share(report->counted[MODEL_FILE_NS], report->accounted_ns);
	if (facts == NULL || report->steps.recorded == 0 ||
		read_pct < report_limit(report, THRESHOLD_GAIN) ||
		facts->reads < READS_LEAST * report->steps.recorded ||
		2 * facts->small_reads <= facts->reads)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"%.1f reads of files per step that take long enough to be recorded, %llu bytes "
		"each; %.0f %% of them are of less than 64 KB",
		(double)facts->reads / (double)report->steps.recorded,
		(unsigned long long)(facts->read_bytes / facts->reads),
		report_share(facts->small_reads, facts->reads));
	return true;
}

/* In what Python's processes pass things through. */
static bool is_of_processes(const struct report *report, const struct spot *spot)
{
	const struct lookup *lookup = &report->model->lookup;
	const struct meta_PLACE *place = lookup_place(lookup, spot->place);
	return spot->kind == SPOT_BLOCKED && spot->what <= INPUT_POLL && place != NULL &&
	       strstr(lookup_text(lookup, (uint32_t)place->file),
		       "multiprocessing/connection.py") != NULL;
}

/* The processes that fill it, for a step: the sums are those of many. */
static void predict_queue(const struct report *report, struct finding *finding)
{
	struct pool pool = report->workers.pool;
	double part = (double)report->steps.mean_ns / pool.batch_ns;
	double *const sums[] = {&pool.batch_ns, &pool.load_ns, &pool.work_ns, &pool.cpu_ns,
		&pool.delay_ns, &pool.loop_delay_ns, &pool.loop_cpu_ns};
	char work[32], loop[32], step[32];
	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
		*sums[i] *= part;
	pool.batches = 1;
	pool.device_ns = pool_device_ns(report);
	if (!pool_explains(&pool) || pool_is_starved(&pool) ||
		100 * pool.busy_least < report_limit(report, THRESHOLD_WORKERS))
		return;
	unsigned enough = pool_enough(&pool);
	bool lacks = pool_lacks_processors(&pool, enough), crowded = pool_is_crowded(report);
	report_duration((uint64_t)pool_batch_ns(&pool, enough), step, sizeof(step));
	evidence_add(finding,
		"; what a step takes costs one process %s, the loop %s: %u such processes would "
		"be enough%s%s, and a step would take %s%s",
		report_duration((uint64_t)pool_work_ns(&pool), work, sizeof(work)),
		report_duration((uint64_t)pool_loop_ns(&pool), loop, sizeof(loop)), enough,
		lacks ? " if there were processors for them" : "",
		crowded ? " on a machine that others keep less busy" : "",
		lacks || crowded ? "no less than " : "", step);
}

/* The loop asks and waits: more processes do not make one answer come sooner. */
static void tell_answers(struct finding *finding)
{
	evidence_add(finding, "; they wait while the loop works, and it while they do: each answer "
			      "seems to be asked for just before");
	snprintf(finding->advice, sizeof(finding->advice),
		"Ask for the next one before this one is used at %.200s, so that both sides work "
		"at a time, or make the answer quicker; more processes help only where what is "
		"asked for can be dealt out to them.",
		finding->where);
}

static bool is_filled_by_processes(
	const struct report *report, const struct spot *spot, struct finding *finding)
{
	const struct pool *pool = &report->workers.pool;
	if (!is_of_processes(report, spot) || !pool->is_queue || report->steps.steady == 0 ||
		pool->load_ns <= 0)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding,
		"what it waits for comes from another process; %u that this one has started %s "
		"recorded: busy for ",
		report->workers.count, report->workers.count == 1 ? "was" : "were");
	if (pool->busy_most - pool->busy_least >= 0.01)
		evidence_add(finding, "%.0f to ", 100 * pool->busy_least);
	evidence_add(finding,
		"%.0f %% of the time, else waiting in a queue too; %.0f %% of the busy time is "
		"on a processor",
		100 * pool->busy_most,
		pool->work_ns > 0 ? 100 * fmin(1, pool->cpu_ns / pool->work_ns) : 0);
	if (pool->samples >= SAMPLES_LEAST && 2 * pool->hot_samples >= pool->samples)
		evidence_add(finding, "; most samples of their stacks are at %s", pool->hot);
	if (pool_answers(pool))
		tell_answers(finding);
	else
		predict_queue(report, finding);
	return true;
}

/* Of processes that were started before their parent was recorded, and only compute, nothing is. */
bool rule_input_queue(const struct subject *subject, struct finding *finding)
{
	const struct report *report = subject->report;
	const struct spot *spot = &report->model->spots->items[report_input_spot(report)];
	if (is_filled_by_processes(report, spot, finding))
		return true;
	if (!is_of_processes(report, spot) || report->workers.count > 0)
		return false;
	finding->evidence[0] = '\0';
	evidence_add(finding, "what it waits for comes from another process, of which nothing was "
			      "recorded: how many would be enough is not known");
	return true;
}

bool rule_host_queue(const struct subject *subject, struct finding *finding)
{
	return is_filled_by_processes(subject->report, subject->spot, finding);
}
