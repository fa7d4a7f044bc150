/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/facts/work.h"
#include "analyzer/run/workers.h"
#include "collector/format/fields.h"
#include "collector/format/host_value.h"

#define MS 1000000ull

static bool near(double value, double expected)
{
	return value >= 0.98 * expected && value <= 1.02 * expected;
}

Test(work, what_lies_between_two_times_is_summed_however_long_the_life)
{
	static struct work work;
	for (uint64_t i = 0; i < 5000; i++) { /* 50 s: half of them idle, a tenth in files */
		uint64_t at = 1000 * MS + i * 10 * MS;
		work_add(&work, WORK_IDLE, at, at + 5 * MS, 0);
		work_add(&work, WORK_FILE, at + 5 * MS, at + 6 * MS, 1000);
	}
	struct work_sums sums = work_between(&work, 11000 * MS, 31000 * MS);
	cr_expect(near(sums.span_ns, 20e9));
	cr_expect(near(sums.ns[WORK_IDLE], 10e9), "%g", sums.ns[WORK_IDLE]);
	cr_expect(near(sums.ns[WORK_FILE], 2e9));
	cr_expect(near(sums.bytes, 2e6));
	sums = work_between(&work, 0, UINT64_MAX);
	cr_expect(near(sums.ns[WORK_IDLE], 25e9));
	sums = work_between(&work, 0, 999 * MS);
	cr_expect(sums.span_ns == 0 && sums.ns[WORK_IDLE] == 0);
}

Test(work, totals_count_from_their_first_reading)
{
	static struct work work;
	work_cpu(&work, 1000 * MS, 700 * MS);
	work_cpu(&work, 2000 * MS, 1200 * MS);
	work_cpu(&work, 3000 * MS, 1300 * MS);
	work_delay(&work, 1000 * MS, 10 * MS);
	work_delay(&work, 3000 * MS, 5 * MS); /* another thread's: passed over */
	struct work_sums sums = work_between(&work, 0, UINT64_MAX);
	cr_expect(near(sums.ns[WORK_CPU], 600e6), "%g", sums.ns[WORK_CPU]);
	cr_expect(sums.ns[WORK_DELAY] == 0);
	sums = work_between(&work, 1000 * MS, 1500 * MS);
	cr_expect(near(sums.ns[WORK_CPU], 250e6), "%g", sums.ns[WORK_CPU]);
}

Test(work, times_that_make_no_sense_do_no_harm)
{
	static struct work work;
	work_add(&work, WORK_IDLE, 5000, 4000, 0);
	cr_expect(eq(u64, work.part_ns, 0));
	work_add(&work, WORK_IDLE, 5000 * MS, 5001 * MS, 0);
	work_add(&work, WORK_LOAD, 1, 4000 * MS, 0); /* before the first */
	work_add(&work, WORK_IDLE, 1, UINT64_MAX / 4, 0);
	struct work_sums sums = work_between(&work, 0, UINT64_MAX);
	cr_expect(sums.loads == 0);
}

static const char *text(const void *context, uint32_t id)
{
	static const char *const files[] = {"", "/usr/lib/python3.11/multiprocessing/queues.py",
		"/usr/lib/python3.11/selectors.py", "data.py",
		"/usr/lib/python3.11/multiprocessing/synchronize.py", "__enter__", "wait"};
	(void)context;
	return id < 7 ? files[id] : "";
}

static const struct meta_PLACE *place(const void *context, uint32_t id)
{
	static struct meta_PLACE found = {.language = "python"};
	(void)context;
	found.file = id < 5 ? id : 4;
	found.function = id;
	return id != 0 ? &found : NULL;
}

static enum work_kind kind_of(enum input_what what, enum input_medium medium, uint32_t file)
{
	static const struct lookup lookup = {.text = text, .place = place};
	struct record record = {.kind = RECORD_INPUT, .place = file};
	record.c = record_bits_INPUT_what(what) | record_bits_INPUT_medium(medium);
	return work_of_wait(&lookup, &record);
}

Test(work, only_waits_in_queues_are_idleness)
{
	cr_expect(eq(int, kind_of(INPUT_LOCK, MEDIUM_UNKNOWN, 1), WORK_IDLE));
	cr_expect(eq(int, kind_of(INPUT_READ, MEDIUM_PIPE, 1), WORK_IDLE));
	cr_expect(eq(int, kind_of(INPUT_POLL, MEDIUM_UNKNOWN, 2), WORK_IDLE));
	cr_expect(eq(int, kind_of(INPUT_READ, MEDIUM_FILE, 1), WORK_FILE));
	cr_expect(eq(int, kind_of(INPUT_READ, MEDIUM_FILE, 3), WORK_FILE));
	cr_expect(eq(int, kind_of(INPUT_READ, MEDIUM_SOCKET, 3), WORK_OTHER)); /* fetches it */
	cr_expect(eq(int, kind_of(INPUT_SLEEP, MEDIUM_UNKNOWN, 1), WORK_OTHER));
	cr_expect(eq(int, kind_of(INPUT_LOCK, MEDIUM_UNKNOWN, 0), WORK_OTHER));
}

Test(work, what_a_lock_between_processes_was_depends_on_who_waited)
{
	struct work of_loader = {.from_ns = 0}, other;
	cr_expect(eq(int, kind_of(INPUT_LOCK, MEDIUM_FILE, 3), WORK_LOCK));
	cr_expect(eq(int, kind_of(INPUT_LOCK, MEDIUM_UNKNOWN, 5), WORK_ENTER)); /* __enter__ */
	cr_expect(eq(int, kind_of(INPUT_LOCK, MEDIUM_UNKNOWN, 6), WORK_IDLE));  /* a condition */
	work_add(&of_loader, WORK_ENTER, 1000 * MS, 1004 * MS, 0);
	work_add(&of_loader, WORK_IDLE, 1004 * MS, 1005 * MS, 0);
	other = of_loader;
	work_enter(&of_loader, true);
	work_enter(&other, false);
	cr_expect(near(work_between(&of_loader, 0, UINT64_MAX).ns[WORK_LOCK], 4e6));
	cr_expect(near(work_between(&of_loader, 0, UINT64_MAX).ns[WORK_IDLE], 1e6));
	cr_expect(near(work_between(&other, 0, UINT64_MAX).ns[WORK_IDLE], 5e6));
	cr_expect(work_between(&other, 0, UINT64_MAX).ns[WORK_LOCK] == 0);
}

/* A loop that takes a batch of two workers every 20 ms; each makes one in 40, half on files. */
Test(work, workers_beside_their_loop)
{
	static struct work loop, works[3];
	for (uint64_t i = 0; i < 200; i++)
		work_add(&loop, WORK_LOAD, i * 20 * MS + 10 * MS, i * 20 * MS + 20 * MS, 0);
	for (uint64_t i = 0; i < 100; i++)
		for (unsigned worker = 0; worker < 2; worker++) {
			uint64_t at = i * 40 * MS + worker * 20 * MS;
			work_add(&works[worker], WORK_FILE, at, at + 20 * MS, 500);
			work_add(&works[worker], WORK_IDLE, at + 36 * MS, at + 40 * MS, 0);
		}
	work_add(&works[2], WORK_FILE, 0, 4000 * MS, 1000000); /* of another process */
	static struct worker items[] = {{.parent = 7, .work = &works[0]},
		{.parent = 7, .work = &works[1]}, {.parent = 8, .work = &works[2]}};
	const run_workers workers = {.items = items, .count = 3, .capacity = 3};
	struct pool pool = workers_pool(&workers, 7, 4, &loop);
	cr_expect(near(pool.workers, 2), "%g", pool.workers);
	cr_expect(near(pool.batch_ns, 20e6), "%g", pool.batch_ns);
	cr_expect(near(pool.load_ns, 10e6), "%g", pool.load_ns);
	cr_expect(near(pool.work_ns, 36e6), "%g", pool.work_ns);
	cr_expect(near(pool.file_ns, 20e6), "%g", pool.file_ns);
	cr_expect(near(pool.idle, 0.1), "%g", pool.idle);
	static struct work few;
	work_add(&few, WORK_LOAD, 0, MS, 0);
	cr_expect(workers_pool(&workers, 7, 4, &few).batches == 0);
}

/* A loop that waits 30 of 40 ms in a queue, and a process beside it that sleeps. */
Test(work, a_process_beside_a_loop_that_takes_from_its_queue)
{
	static struct work loop, works[2];
	for (uint64_t i = 0; i < 100; i++) {
		uint64_t at = 1000 * MS + i * 40 * MS;
		work_add(&loop, WORK_IDLE, at, at + 30 * MS, 0);
		work_add(&works[0], WORK_OTHER, at, at + 36 * MS, 0);
		work_add(&works[0], WORK_IDLE, at + 36 * MS, at + 40 * MS, 0);
	}
	static struct worker items[] = {
		{.parent = 7, .work = &works[0]}, {.parent = 7, .work = &works[1]}};
	run_workers workers = {.items = items, .count = 1, .capacity = 2};
	struct pool pool = workers_pool(&workers, 7, 4, &loop);
	cr_assert(pool.is_queue);
	cr_expect(pool.batches == 0);
	cr_expect(near(pool.load_ns / pool.batch_ns, 0.75), "%g", pool.load_ns / pool.batch_ns);
	cr_expect(near(pool.work_ns / pool.batch_ns, 0.9), "%g", pool.work_ns / pool.batch_ns);
	cr_expect(near(pool.busy_most, 0.9), "%g", pool.busy_most);
	/* another one of which next to nothing is known: its waits may be those of a thread */
	work_add(&works[1], WORK_OTHER, 1000 * MS, 1010 * MS, 0);
	work_add(&works[1], WORK_OTHER, 4900 * MS, 4910 * MS, 0);
	workers.count = 2;
	cr_expect(not(workers_pool(&workers, 7, 4, &loop).is_queue));
}
