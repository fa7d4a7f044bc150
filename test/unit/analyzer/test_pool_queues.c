/* SPDX-License-Identifier: MIT */
/* Queues of Python's multiprocessing, and the processes that fill them. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/report/rules/idiom.h"
#include "test/unit/analyzer/pool_report.h"

TestSuite(pool_queues, .init = begin, .fini = end);

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

Test(pool_queues, a_queue_that_other_processes_fill)
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
	cr_expect(not(fits(rule_input_queue)), "no data comes from there");
	spot_count(spot, 20, SPOT_TURNS, 1);
	spot_count(spot, 20, SPOT_FED, 1);
	spot_found(spot, 20, SPOT_LINE_NS, 2000);
	cr_expect(not(fits(rule_input_queue)), "a process was, which may be another");
	report.workers.count = 0;
	cr_expect(fits(rule_input_queue));
	cr_expect(says("of which nothing was recorded"), "%s", finding.evidence);
	spot = queue(1);
	model.lookup.text = text_of; /* a pipe that the program itself reads */
	cr_expect(not(fits_queue(spot)));
}

Test(pool_queues, processes_that_answer_when_asked_are_no_slow_side)
{
	cr_expect(fits_queue(queue(0.75))); /* as long as the loop waits for them */
	cr_expect(says("busy for 75 % of the time"), "%s", finding.evidence);
	cr_expect(not(says("enough")), "%s", finding.evidence);
	cr_expect(fits_queue(queue(0.87))); /* the loop works for the rest, more or less */
	cr_expect(not(says("enough")), "%s", finding.evidence);
	cr_expect(says("they wait while the loop works"), "%s", finding.evidence);
	cr_expect(strstr(finding.advice, "Ask for the next one before") != NULL, "%s",
		finding.advice);
	cr_expect(fits_queue(queue(0.95))); /* not for that */
	cr_expect(says("5 such processes would be enough"), "%s", finding.evidence);
	struct spot *spot = queue(0.95);
	report.workers.pool.busy_least = 0; /* that of another one, which writes a log */
	cr_expect(fits_queue(spot));
	cr_expect(not(says("enough")), "%s", finding.evidence);
	spot = queue(1);
	report.workers.pool.delay_ns = 2e9;
	cr_expect(fits_queue(spot));
	cr_expect(not(says("enough")), "%s", finding.evidence);
}

static const char *pool_text(const void *context, uint32_t id)
{
	(void)context;
	return id == NAME_FILE ? "/usr/lib/python3.11/concurrent/futures/thread.py" : "";
}

static const struct meta_PLACE *pool_place(const void *context, uint32_t id)
{
	static struct meta_PLACE place = {.language = "python", .file = NAME_FILE, .line = 81};
	(void)context;
	place.user_file = id == 8 ? NAME_LOADER : 0; /* a task of the program's */
	return &place;
}

/* There is nothing to be done at the line at which threads of a pool wait for tasks. */
Test(pool_queues, threads_of_a_pool_wait_for_who_gives_them_tasks)
{
	for (uint32_t place = 8; place < 10; place++) {
		const struct subject subject = {.report = &report};
		struct spot *spot = spots_find(model.spots, &model.lookup, place, 1, SPOT_BLOCKED);
		model.lookup.text = pool_text;
		model.lookup.place = pool_place;
		spot_count(spot, 20, SPOT_TURNS, 1);
		spot_count(spot, 20, SPOT_FED, 1);
		spot_found(spot, 20, SPOT_LINE_NS, 2000 * place);
		memset(&finding, 0, sizeof(finding));
		idiom_advise(&subject, RULE_ID_input_bound, &finding);
		cr_expect(eq(int, strstr(finding.advice, "is one of a pool") != NULL, place == 9),
			"%s", finding.advice);
	}
}

Test(pool_queues, who_has_a_thread_that_takes_batches_is_not_told_to)
{
	pool_with(2);
	report.workers.pool.idle = 0.5;
	report.workers.depth = (struct depth){.asks = 100, .missing = 2, .take_ns = 8e6};
	report.reader_pct = 50;
	report.reader_ns = 1000000000;
	cr_expect(fits(rule_input_taking));
	cr_expect(says("to take one takes 8.00 ms"), "%s", finding.evidence);
	cr_expect(eq(str, finding.advice, ""), "%s", finding.advice);
	facts.pin.samples = 50;
	cr_expect(fits(rule_input_taking));
	cr_expect(strstr(finding.advice, "does not keep up") != NULL, "%s", finding.advice);
}

Test(pool_queues, one_slow_worker_is_what_the_loop_waits_for)
{
	const struct depth slow = {.asks = 100,
		.missing = 30,
		.workers = 3,
		.ready = 2,
		.even_ns = 23e6,
		.slow_ns = 50e6,
		.others_ns = 10e6};
	pool_with(3);
	report.workers.depth = slow;
	cr_expect(fits(rule_input_worker_slow));
	cr_expect(says("one of the 3 workers 50.00 ms"), "%s", finding.evidence);
	cr_expect(says("evenly, there would be one every 7.67 ms"), "%s", finding.evidence);
	report.workers.depth.others_ns = 40e6; /* hardly slower */
	cr_expect(not(fits(rule_input_worker_slow)));
	report.workers.depth = slow;
	report.steps.mean_ns = 40000000; /* the loop itself takes longer */
	cr_expect(not(fits(rule_input_worker_slow)));
	pool_with(3);
	report.workers.depth = slow;
	report.workers.depth.missing = 1; /* it is far ahead */
	cr_expect(not(fits(rule_input_worker_slow)));
}
