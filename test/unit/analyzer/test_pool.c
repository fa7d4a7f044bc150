/* SPDX-License-Identifier: MIT */
/* Rules about the number of a loader's workers, and what they predict. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "test/unit/analyzer/pool_report.h"

TestSuite(pool, .init = begin, .fini = end);

Test(pool, workers_that_would_be_enough)
{
	pool_with(2);
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
	pool_with(2);
	facts = (struct facts){.loads = 200, .main_loads = 200, .waited_loads = 150};
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("25 % of 200 loads found a batch ready"), "%s", finding.evidence);
	facts.main_loads = 199; /* nobody saw whether the other one waited */
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(says("found a batch")), "%s", finding.evidence);
}

Test(pool, what_a_crowded_machine_would_give_is_a_bound)
{
	pool_with(2);
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
	pool_with(2);
	report.workers.busy_least_pct = 90;
	report.workers.pool.work_ns = 20e6; /* 2 of them would give a batch each 10 ms */
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(says("enough")), "%s", finding.evidence);
}

Test(pool, workers_without_a_processor)
{
	pool_with(2);
	report.workers.pool.delay_ns = 10e6;
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(says("a step would")), "%s", finding.evidence);
	cr_expect(says("the workers for 25 % of their busy time, the loop for 0 %"), "%s",
		finding.evidence);
	cr_expect(not(fits(rule_input_too_many_workers)));
	pool_with(4);
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

/* Two workers, each of whom needs 30 of its 40 ms to get a lock. */
Test(pool, workers_that_wait_for_a_lock)
{
	pool_with(2);
	report.workers.pool.lock_ns = 5e6;
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("5 workers would be enough"), "%s", finding.evidence);
	report.workers.pool.lock_ns = 30e6;
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("75 % of the time that they are busy they wait for a lock"), "%s",
		finding.evidence);
	cr_expect(not(says("enough")), "%s", finding.evidence);
}

Test(pool, workers_that_hand_batches_over_when_they_can)
{
	pool_with(2);
	report.workers.depth = (struct depth){.asks = 100, .missing = 20, .take_ns = 8e6};
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("a step would take no less than 10.00 ms"), "%s", finding.evidence);
	cr_expect(says("one that lies ready takes the loop 8.00 ms"), "%s", finding.evidence);
	report.workers.depth.missing = 2;
	report.reader_pct = 50;
	cr_expect(not(fits(rule_input_taking)), "it is the workers who take long");
	report.workers.depth.take_ns = 1e6; /* a twentieth */
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(says("lies ready takes")), "%s", finding.evidence);
	cr_expect(says("a step would take 10.00 ms"), "%s", finding.evidence);
}

Test(pool, workers_that_are_busy_all_the_time_set_the_pace)
{
	pool_with(2);
	cr_expect(eq(u64, rule_pace_ns(&report), report.steps.mean_ns));
	report.workers.pool.work_ns = 36e6; /* and wait for a tenth */
	report.workers.pool.idle = 0.1;
	cr_expect(eq(u64, rule_pace_ns(&report), report.steps.mean_ns * 9 / 10));
	report.workers.pool.idle = 0.3; /* of the loop */
	cr_expect(eq(u64, rule_pace_ns(&report), 0));
	pool_with(0);
	cr_expect(eq(u64, rule_pace_ns(&report), 0));
}

Test(pool, workers_that_wait_for_files)
{
	pool_with(2);
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
	pool_with(0);
	loader->op_class |= OPCLASS_IN_PROCESS;
	const struct subject subject = {.report = &report};
	memset(&finding, 0, sizeof(finding));
	finding.spot = spot_index(model.spots, loader);
	cr_expect(rule_input_single_process(&subject, &finding));
	cr_expect(says("5 workers would be enough, and a step would take 10.00 ms"), "%s",
		finding.evidence);
}

Test(pool, a_loop_without_workers_has_none_without_a_processor)
{
	pool_with(0);
	loader->op_class |= OPCLASS_IN_PROCESS;
	report.workers.pool.loop_delay_ns = 20e6;
	const struct subject subject = {.report = &report};
	memset(&finding, 0, sizeof(finding));
	finding.spot = spot_index(model.spots, loader);
	cr_expect(rule_input_single_process(&subject, &finding));
	cr_expect(says("; ready to run but without a processor is the loop for 40 %"), "%s",
		finding.evidence);
}

Test(pool, the_line_at_which_workers_compute)
{
	pool_with(2);
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

Test(pool, workers_that_wait_are_told_where)
{
	pool_with(2);
	struct pool *pool = &report.workers.pool;
	pool->samples = 100;
	pool->hot_samples = 60;
	snprintf(pool->hot, sizeof(pool->hot), "data.py:12 in fetch");
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(not(says("samples")), "they compute for half of it: %s", finding.evidence);
	cr_expect(eq(str, finding.advice, ""), "%s", finding.advice);
	pool->cpu_ns = 5e6;
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("60 of 100 samples of their stacks are at data.py:12 in fetch"), "%s",
		finding.evidence);
	cr_expect(strstr(finding.advice, "mostly wait") != NULL, "%s", finding.advice);
}

Test(pool, how_fast_that_line_would_have_to_be)
{
	pool_with(2);
	struct pool *pool = &report.workers.pool;
	pool->cpu_ns = 40e6;
	pool->samples = 100;
	pool->hot_samples = 75; /* 30 of 40 ms; 2 workers have 18 in the 10 ms of the loop */
	cr_expect(fits(rule_input_decode));
	cr_expect(says("one process 40.00 ms, the loop 10.00 ms: 5 workers would be enough"), "%s",
		finding.evidence);
	cr_expect(says("; that line takes 30.00 ms of it: if it took 8.00 ms, the 2 workers that "
		       "there are would be enough too, and a step would take 10.00 ms"),
		"%s", finding.evidence);
	pool->processors = 2; /* 45 of which take 22.5: 25 of them have to go */
	pool->loop_cpu_ns = 5e6;
	pool->batch_ns = 22.5e6;
	pool->load_ns = 12.5e6;
	report.steps.mean_ns = 22500000;
	cr_expect(fits(rule_input_decode));
	cr_expect(says("if it took 5.00 ms"), "%s", finding.evidence);
	pool_with(1);
	pool->cpu_ns = 40e6;
	pool->samples = 100;
	pool->hot_samples = 60; /* without it 16 ms are left */
	cr_expect(fits(rule_input_decode));
	cr_expect(says("; that line takes 24.00 ms of it: without it a step with the 1 worker that "
		       "there is would take no less than 16.00 ms"),
		"%s", finding.evidence);
	pool->delay_ns = 10e6; /* nobody knows what it takes on a free processor */
	cr_expect(fits(rule_input_decode));
	cr_expect(not(says("that line takes")), "%s", finding.evidence);
	pool_with(2);
	pool->cpu_ns = 40e6;
	pool->samples = 100;
	pool->hot_samples = 60;
	pool->idle = 0.3; /* it is not they who are waited for */
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

Test(pool, few_long_batches_say_nothing_of_how_many_workers_are_enough)
{
	pool_with(0);
	loader->op_class |= OPCLASS_IN_PROCESS;
	const struct subject subject = {.report = &report};
	load(4, 25, 1000, 1000000);
	memset(&finding, 0, sizeof(finding));
	finding.spot = spot_index(model.spots, loader);
	cr_expect(rule_input_single_process(&subject, &finding));
	cr_expect(not(says("would be enough")), "%s", finding.evidence);
	cr_expect(says("; 4 of 100 batches took 4.00 ms, 98 % of all loading, the others 1.0 us "
		       "each (median)"),
		"%s", finding.evidence);
	load(4, 25, 100000, 1000000); /* the others take most of the time */
	report.workers.count = 0;
	cr_expect(rule_input_single_process(&subject, &finding));
	cr_expect(not(says("batches took")), "%s", finding.evidence);
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
	pool_with(2);
	load(4, 25, 1000, 1000000);
	report.workers.pool.work_ns = 40e6;
	report.workers.pool.settled_ns = 40e6; /* so long takes each batch, then as well */
	cr_expect(not(fits(rule_input_first_batch)));
	report.workers.pool.settled_ns = 1e3; /* the first of a worker alone does */
	cr_expect(fits(rule_input_first_batch));
	cr_expect(says("would save 29.9 us a step"), "%s", finding.evidence);
}

Test(pool, what_the_gpu_does_sets_the_pace_of_a_loop_that_does_not_wait_for_it)
{
	pool_with(2);
	report.busy_low_pct = 80; /* 16 of 20 ms, while the loop itself needs 10 */
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("one process 40.00 ms, the GPU 16.00 ms: 3 workers would be enough, and a "
		       "step would take 16.00 ms"),
		"%s", finding.evidence);
	model.alone = true; /* that is the processor */
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("5 workers would be enough, and a step would take 10.00 ms"), "%s",
		finding.evidence);
	model.alone = false;
	report.busy_low_pct = 100;
	cr_expect(fits(rule_input_workers_saturated));
	cr_expect(says("would be enough, but a step would take as long as now"), "%s",
		finding.evidence);
}
