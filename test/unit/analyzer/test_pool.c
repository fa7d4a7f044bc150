/* SPDX-License-Identifier: MIT */
/* Rules about the number of a loader's workers, and what they predict. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/report/rules/row.h"
#include "collector/format/record.h"
#include "test/unit/analyzer/model_calls.h"

static struct model model;
static struct thresholds thresholds;
static struct report report;
static struct facts facts;
static struct finding finding;
static struct spot *loader;

static void begin(void)
{
	const struct lookup lookup = {.text = text_of, .place = place_of, .call = call_of};
	memset(&model, 0, sizeof(model));
	memset(&report, 0, sizeof(report));
	memset(&facts, 0, sizeof(facts));
	thresholds_init(&thresholds);
	model.lookup = lookup;
	model.spots = spots_new();
	cr_assert(model.spots != NULL);
	loader = spots_find_named(model.spots, &lookup, 1, NAME_LOADER, SPOT_LOAD);
	spot_found(loader, 20, SPOT_LINE_NS, 1000);
	report.model = &model;
	report.facts = &facts;
	report.thresholds = &thresholds;
	report.steps.first = 10;
	report.steps.until = 110;
}

static void end(void)
{
	spots_free(model.spots);
}

TestSuite(pool, .init = begin, .fini = end);

static bool fits(rule_function *rule)
{
	const struct subject subject = {.report = &report};
	memset(&finding, 0, sizeof(finding));
	return rule(&subject, &finding);
}

static bool says(const char *text)
{
	return strstr(finding.evidence, text) != NULL;
}

/* One batch a step: 10 ms in the loop, 40 ms of work for it. */
static void pool_of(double workers)
{
	report.steps.mean_ns = workers > 0 ? 40000000 / (uint64_t)workers : 50000000;
	report.steps.steady = 100;
	report.counted[MODEL_LOADS] = 100;
	report.workers = (struct report_workers){.count = (unsigned)workers,
		.processors = 8,
		.pool = {.batches = 100,
			.workers = workers,
			.batch_ns = (double)report.steps.mean_ns,
			.load_ns = (double)report.steps.mean_ns - 10e6,
			.work_ns = workers > 0 ? 40e6 : 0,
			.cpu_ns = 20e6,
			.processors = 8}};
}

Test(pool, workers_that_would_be_enough)
{
	pool_of(2);
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("busy for 100 %"), "%s", finding.evidence);
	cr_expect(says("one process 40.00 ms, the loop 10.00 ms: 5 workers would be enough, and a "
		       "step would take 10.00 ms"),
		"%s", finding.evidence);
	report.workers.pool.processors = 1; /* which 20 ms of processor time for a batch need */
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("with the 1 that there are a step takes no less than 20.00 ms"), "%s",
		finding.evidence);
	report.workers.pool.processors = 8;
	report.workers.pool.idle = 0.3; /* they wait for the loop too */
	cr_expect(not(fits(rule_input_workers_saturated)));
}

Test(pool, batches_that_lay_ready)
{
	pool_of(2);
	facts = (struct facts){.loads = 200, .main_loads = 200, .waited_loads = 150};
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("25 % of 200 loads found a batch ready"), "%s", finding.evidence);
	facts.main_loads = 199; /* nobody saw whether the other one waited */
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(says("found a batch")), "%s", finding.evidence);
}

Test(pool, what_a_crowded_machine_would_give_is_a_bound)
{
	pool_of(2);
	report.workers.pool.cpu_ns = 1e6;
	model.metrics[SAMPLE_HOST_BUSY_NS] = (struct model_metric){.known = true, .last = 97};
	model.metrics[SAMPLE_HOST_IDLE_NS] = (struct model_metric){.known = true, .last = 3};
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("5 workers would be enough on a machine that others keep less busy, and a "
		       "step would take no less than 10.00 ms"),
		"%s", finding.evidence);
	report.workers.pool.cpu_ns = 159e6; /* it is they who do that */
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(says("others")), "%s", finding.evidence);
	model.metrics[SAMPLE_HOST_IDLE_NS].last = 30;
	report.workers.pool.cpu_ns = 1e6;
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("and a step would take 10.00 ms"), "%s", finding.evidence);
}

Test(pool, a_pace_that_workers_do_not_explain_is_not_predicted_from)
{
	pool_of(2);
	report.workers.busy_least_pct = 90;
	report.workers.pool.work_ns = 20e6; /* 2 of them would give a batch each 10 ms */
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(says("enough")), "%s", finding.evidence);
}

Test(pool, workers_without_a_processor)
{
	pool_of(2);
	report.workers.pool.delay_ns = 10e6;
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(says("a step would")), "%s", finding.evidence);
	cr_expect(says("the workers for 25 % of their busy time, the loop for 0 %"), "%s",
		finding.evidence);
	cr_expect(not(fits(rule_input_too_many_workers)));
	pool_of(4);
	report.workers.count = 9; /* more than processors, but they do not need them */
	cr_expect(not(fits(rule_input_too_many_workers)));
	report.workers.pool.delay_ns = 10e6; /* others of the machine use them */
	cr_expect(not(fits(rule_input_too_many_workers)));
	report.workers.pool.cpu_ns = 60e6;
	cr_expect(fits(rule_input_too_many_workers));
	cr_expect(says("what fewer would do is not known"), "%s", finding.evidence);
	report.workers.pool.cpu_ns = 70e6; /* for 8 processors 8.75 of the 10 ms */
	cr_expect(fits(rule_input_too_many_workers));
	cr_expect(says("; with 8 of them a step would take as long: 10.00 ms"), "%s",
		finding.evidence);
	loader->op_class |= OPCLASS_IN_PROCESS; /* they are not the loader's */
	cr_expect(not(fits(rule_input_too_many_workers)));
}

Test(pool, workers_that_wait_for_files)
{
	pool_of(2);
	report.reader_pct = 50;
	report.workers.pool.file_ns = 30e6;
	report.workers.pool.file_bytes = 1e6;
	cr_expect(not(fits(rule_input_workers_saturated)));
	cr_expect(fits(rule_input_storage));
	cr_expect(says("1 MB, which come at 50 MB a second; 100 MB a second would be enough"), "%s",
		finding.evidence);
	cr_expect(says("5 workers would be enough"), "%s", finding.evidence);
	report.reader_pct = 1; /* fast enough */
	cr_expect(not(fits(rule_input_storage)));
}

Test(pool, a_loop_that_makes_its_batches_itself)
{
	pool_of(0);
	loader->op_class |= OPCLASS_IN_PROCESS;
	const struct subject subject = {.report = &report};
	memset(&finding, 0, sizeof(finding));
	finding.spot = spot_index(model.spots, loader);
	cr_expect(rule_input_single_process(&subject, &finding));
	cr_expect(says("5 workers would be enough, and a step would take 10.00 ms"), "%s",
		finding.evidence);
}

Test(pool, the_line_at_which_workers_compute)
{
	pool_of(2);
	struct pool *pool = &report.workers.pool;
	pool->samples = 100;
	pool->hot_samples = 60;
	snprintf(pool->hot, sizeof(pool->hot), "data.py:12 in __getitem__");
	cr_expect(fits(rule_input_decode));
	cr_expect(says("60 of 100 samples of the workers' stacks are at data.py:12 in __getitem__"),
		"%s", finding.evidence);
	pool->cpu_ns = 10e6; /* they wait for something there */
	cr_expect(not(fits(rule_input_decode)));
	pool->cpu_ns = 30e6;
	pool->hot_samples = 40;
	cr_expect(not(fits(rule_input_decode)));
	pool->hot_samples = 20;
	pool->samples = 30; /* too few to say */
	cr_expect(not(fits(rule_input_decode)));
}

/* Epochs of so many loads, the first of which takes long. */
static void load(unsigned epochs, unsigned many, uint64_t usual_ns, uint64_t long_ns)
{
	facts.loads = 0;
	for (unsigned i = 0; i < epochs * many; i++) {
		facts.load_samples[i] = (struct fact_load){
			.ns = i % many == 0 ? long_ns : usual_ns, .index = i, .place = 1};
		facts.loads++;
	}
	report.steps.steady = 100;
	report.workers.count = 2;
	report.workers.pool.started = 2 * epochs;
}

Test(pool, first_batches_of_epochs_for_which_workers_start_anew)
{
	load(4, 25, 1000, 1000000);
	cr_expect(fits(rule_input_first_batch));
	cr_expect(says("3 of 100 loads"), "the first is the program's start: %s", finding.evidence);
	cr_expect(says("would save 30.0 us a step"), "%s", finding.evidence);
	facts.load_samples[24].ns = 1000000; /* the end of an epoch is part of it */
	facts.load_samples[99].ns = 1000000; /* that of the last one has to be */
	cr_expect(fits(rule_input_first_batch));
	cr_expect(says("4 of 100 loads"), "%s", finding.evidence);
	load(4, 25, 100000, 1000000); /* less than 70 % of the waiting */
	cr_expect(not(fits(rule_input_first_batch)));
	load(20, 5, 1000, 1000000); /* every fifth */
	cr_expect(not(fits(rule_input_first_batch)));
}

Test(pool, the_first_start_of_workers_has_to_be_paid)
{
	load(1, 100, 1000, 1000000);
	facts.load_samples[1].ns = 900000; /* the second worker was slower */
	cr_expect(not(fits(rule_input_first_batch)));
	load(2, 50, 1000, 1000000);
	report.steps.first = 60; /* both are warm-up, which is in no figure */
	cr_expect(not(fits(rule_input_first_batch)));
}

Test(pool, workers_that_stay_are_not_told_to)
{
	load(4, 25, 1000, 1000000);
	report.workers.pool.started = 2;
	cr_expect(not(fits(rule_input_first_batch)));
	pool_of(2);
	load(4, 25, 1000, 1000000);
	report.workers.pool.work_ns = 40e6;
	report.workers.pool.settled_ns = 40e6; /* so long takes each batch, then as well */
	cr_expect(not(fits(rule_input_first_batch)));
	report.workers.pool.settled_ns = 1e3; /* the first of a worker alone does */
	cr_expect(fits(rule_input_first_batch));
	cr_expect(says("would save 29.9 us a step"), "%s", finding.evidence);
}

static const char *queue_text(const void *context, uint32_t id)
{
	(void)context;
	return id == NAME_FILE ? "/usr/lib/python3.11/multiprocessing/connection.py" : "";
}

/* A line that waits for 30 of 40 ms in a queue, which one process fills; sums of 100 steps. */
static struct spot *queue(double busy)
{
	struct spot *spot = spots_find(model.spots, &model.lookup, 9, 1, SPOT_BLOCKED);
	spot->what = INPUT_READ;
	model.lookup.text = queue_text;
	report.steps.steady = 100;
	report.steps.mean_ns = 40000000;
	report.workers = (struct report_workers){.count = 1,
		.pool = {.is_queue = true,
			.workers = 1,
			.batch_ns = 4e9,
			.load_ns = 3e9,
			.work_ns = 4e9 * busy,
			.cpu_ns = 1e9,
			.processors = 8,
			.idle = 1 - busy,
			.busy_least = busy,
			.busy_most = busy}};
	return spot;
}

static bool fits_queue(const struct spot *spot)
{
	const struct subject subject = {.report = &report, .spot = spot};
	memset(&finding, 0, sizeof(finding));
	return rule_host_queue(&subject, &finding);
}

Test(pool, a_queue_that_other_processes_fill)
{
	struct spot *spot = queue(1);
	cr_expect(fits_queue(spot));
	cr_expect(says("busy for 100 % of the time"), "%s", finding.evidence);
	cr_expect(says("costs one process 40.00 ms, the loop 10.00 ms: 5 such processes would be "
		       "enough, and a step would take 10.00 ms"),
		"%s", finding.evidence);
	spot->what = INPUT_LOCK; /* that of another thread */
	cr_expect(not(fits_queue(spot)));
	spot->what = INPUT_READ;
	report.workers.pool.is_queue = false; /* nobody has seen the other side */
	cr_expect(not(fits_queue(spot)));
	spot = queue(1);
	model.lookup.text = text_of; /* a pipe that the program itself reads */
	cr_expect(not(fits_queue(spot)));
}

Test(pool, processes_that_answer_when_asked_are_no_slow_side)
{
	cr_expect(fits_queue(queue(0.75))); /* as long as the loop waits for them */
	cr_expect(says("busy for 75 % of the time"), "%s", finding.evidence);
	cr_expect(not(says("enough")), "%s", finding.evidence);
	struct spot *spot = queue(0.95);
	report.workers.pool.busy_least = 0; /* that of another one, which writes a log */
	cr_expect(fits_queue(spot));
	cr_expect(not(says("enough")), "%s", finding.evidence);
	spot = queue(1);
	report.workers.pool.delay_ns = 2e9;
	cr_expect(fits_queue(spot));
	cr_expect(not(says("enough")), "%s", finding.evidence);
}
