/* SPDX-License-Identifier: MIT */
#include "analyzer/report/whole/pool.h"

#include <math.h>

#include "analyzer/report/rules/evidence.h"

/* Files hold the workers for so much of the time that they are busy. */
#define FILES_PART 0.5
/* What taking one that lies ready takes is known from so many, and long from there on. */
#define TAKES_LEAST 20u
#define TAKES_LONG  0.15

bool pool_has_workers(const struct report *report)
{
	const struct spot *spot = &report->model->spots->items[report_input_spot(report)];
	return spot->kind == SPOT_LOAD && (spot->op_class & OPCLASS_IN_PROCESS) == 0 &&
	       report->workers.count > 0;
}

bool pool_is_of_files(const struct report *report)
{
	const struct pool *pool = &report->workers.pool;
	return pool_has_workers(report) && pool_known(report) && pool->work_ns > 0 &&
	       pool->file_ns >= FILES_PART * pool->work_ns;
}

bool pool_known(const struct report *report)
{
	return report->steps.steady > 0 && report->counted[MODEL_LOADS] > 0 &&
	       pool_explains(&report->workers.pool);
}

double pool_device_ns(const struct report *report)
{
	return report->model->alone || report->busy_low_pct < 0
		       ? 0
		       : report->busy_low_pct / 100 * (double)report->steps.mean_ns;
}

struct pool pool_of(const struct report *report)
{
	struct pool pool = report->workers.pool;
	if (report->steps.steady > 0 && report->counted[MODEL_LOADS] > 0)
		pool.device_ns = pool_device_ns(report) /
				 report_per_step(report, report->counted[MODEL_LOADS]);
	return pool;
}

bool pool_is_busy(const struct report *report)
{
	const struct report_workers *workers = &report->workers;
	bool known = pool_known(report) && workers->pool.work_ns > 0;
	return pool_has_workers(report) &&
	       (known ? 100 * (1 - workers->pool.idle) : workers->busy_least_pct) >=
		       report_limit(report, THRESHOLD_WORKERS);
}

bool pool_is_crowded(const struct report *report)
{
	return report_is_loaded(report) && !pool_fills_processors(&report->workers.pool);
}

/* A step with a batch each so many nanoseconds; none is longer than now. */
static uint64_t step_ns(const struct report *report, double batch_ns)
{
	double batches = report_per_step(report, report->counted[MODEL_LOADS]);
	double ns = (double)report->steps.mean_ns +
		    batches * (batch_ns - report->workers.pool.batch_ns);
	return (uint64_t)fmin(
		fmax(fmax(ns, 0), pool_device_ns(report)), (double)report->steps.mean_ns);
}

uint64_t pool_step_ns(const struct report *report, unsigned workers)
{
	const struct pool pool = pool_of(report);
	return step_ns(report, pool_batch_ns(&pool, workers));
}

uint64_t rule_pace_ns(const struct report *report)
{
	const struct pool pool = pool_of(report);
	if (!pool_is_busy(report) || !pool_known(report) || pool.workers <= 0)
		return 0;
	return step_ns(report, pool_work_ns(&pool) / pool.workers);
}

bool pool_hands_over(const struct report *report)
{
	const struct pool *pool = &report->workers.pool;
	const struct depth *depth = &report->workers.depth;
	return pool_is_busy(report) && depth->asks - depth->missing >= TAKES_LEAST &&
	       depth->take_ns > TAKES_LONG * pool->batch_ns;
}

static bool tell_locked(const struct pool *pool, struct finding *finding)
{
	if (!pool_is_locked(pool))
		return false;
	evidence_add(finding,
		"; %.0f %% of the time that they are busy they wait for a lock that lets in one "
		"process at a time: more workers would wait for it the longer",
		100 * fmin(1, pool->lock_ns / pool->work_ns));
	return true;
}

void pool_tell_handing(const struct report *report, struct finding *finding)
{
	char take[32];
	if (pool_hands_over(report))
		evidence_add(finding,
			"; one that lies ready takes the loop %s, as the worker that hands it over "
			"has other code to run: a thread (pin_memory=True) can wait for that",
			report_duration(
				(uint64_t)report->workers.depth.take_ns, take, sizeof(take)));
}

/* More than the model knows of may take time. */
static bool is_least(const struct report *report)
{
	return pool_is_crowded(report) || pool_hands_over(report);
}

void pool_predict(const struct report *report, struct finding *finding)
{
	const struct pool known = pool_of(report), *pool = &known;
	char work[32], loop[32], step[32];
	if (!pool_known(report))
		return;
	unsigned enough = pool_enough(pool);
	evidence_add(finding, "; a batch takes one process %s, the %s %s",
		report_duration((uint64_t)pool_work_ns(pool), work, sizeof(work)),
		pool_is_of_device(pool) ? "GPU" : "loop",
		report_duration((uint64_t)pool_loop_ns(pool), loop, sizeof(loop)));
	if (pool_is_starved(pool)) {
		double workers = pool->work_ns > 0 ? 100 * pool->delay_ns / pool->work_ns : 0;
		evidence_add(finding, "; ready to run but without a processor ");
		if (pool->workers > 0)
			evidence_add(finding, "are the workers for %.0f %% of their busy time, ",
				workers);
		evidence_add(finding,
			"%sthe loop for %.0f %%: how many workers would be enough is "
			"not known",
			pool->workers > 0 ? "" : "is ", 100 * pool->loop_delay_ns / pool->batch_ns);
		return;
	}
	if (tell_locked(pool, finding))
		return;
	evidence_add(finding, ": %u worker%s would be enough", enough, enough == 1 ? "" : "s");
	report_duration(pool_step_ns(report, enough), step, sizeof(step));
	if (pool_lacks_processors(pool, enough))
		evidence_add(finding,
			" if there were processors for them; with the %llu that there are a step "
			"takes no less than %s",
			(unsigned long long)pool->processors, step);
	else if (pool_step_ns(report, enough) >= report->steps.mean_ns)
		evidence_add(finding, ", but a step would take as long as now");
	else
		evidence_add(finding, "%s, and a step would take %s%s",
			pool_is_crowded(report) ? " on a machine that others keep less busy" : "",
			is_least(report) ? "no less than " : "", step);
}

void pool_tell_line(const struct report *report, struct finding *finding)
{
	const struct pool known = pool_of(report), *pool = &known;
	unsigned workers = (unsigned)lround(pool->workers);
	double line_ns = pool_line_ns(pool), enough_ns = pool_line_enough_ns(pool);
	bool helps = enough_ns > 0;
	char line[32], enough[32], step[32];
	if (!pool_known(report) || pool_is_starved(pool) || pool_is_locked(pool) || workers == 0 ||
		enough_ns >= line_ns)
		return;
	struct pool relieved = pool_relieved(pool, line_ns - fmax(0, enough_ns));
	report_duration((uint64_t)line_ns, line, sizeof(line));
	report_duration((uint64_t)fmax(0, enough_ns), enough, sizeof(enough));
	report_duration(step_ns(report, pool_batch_ns(&relieved, workers)), step, sizeof(step));
	evidence_add(finding, "; that line takes %s of it", line);
	if (helps)
		evidence_add(finding,
			": if it took %s, the %u worker%s that there %s would be enough too, and a "
			"step would take %s%s",
			enough, workers, workers == 1 ? "" : "s", workers == 1 ? "is" : "are",
			is_least(report) ? "no less than " : "", step);
	else
		evidence_add(finding,
			": without it a step with the %u worker%s that there %s would take no less "
			"than %s",
			workers, workers == 1 ? "" : "s", workers == 1 ? "is" : "are", step);
}

void pool_tell_looks(const struct report *report, struct finding *finding)
{
	const struct pool known = pool_of(report), *pool = &known;
	char took[32];
	if (pool->opens + pool->stats >= 1)
		evidence_add(finding, "; for a batch %.1f files are opened and %.1f looked up: %s",
			pool->opens, pool->stats,
			report_duration((uint64_t)pool->look_ns, took, sizeof(took)));
}

void pool_tell_files(const struct report *report, struct finding *finding)
{
	const struct pool known = pool_of(report), *pool = &known;
	evidence_add(finding,
		"files hold the workers for %.0f %% of the time that they are busy; a "
		"batch needs %.3g MB, which come at %.3g MB a second; %.3g MB a second would be "
		"enough",
		100 * pool->file_ns / pool->work_ns, pool->file_bytes / 1e6,
		1e3 * pool->file_bytes / pool->batch_ns,
		1e3 * pool->file_bytes / pool_loop_ns(pool));
	pool_tell_looks(report, finding);
	pool_predict(report, finding);
}
