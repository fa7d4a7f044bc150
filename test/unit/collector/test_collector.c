/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/buffer/request.h"
#include "collector/buffer/ring.h"
#include "collector/describe.h"
#include "test/unit/collector/recording.h"

#define THREADS 8u

TestSuite(collector, .fini = tear_down, .timeout = 60);

Test(collector, leaves_nothing_behind_without_events)
{
	begin();
	collector_source("runtime", "active", "");
	(void)collector_name("kernel", 6);
	collector_count(COUNTER_SKIPPED_OFF, 3);
	cr_assert(eq(int, request_flush(100), -ENOENT));
	collector_stop("exit");
	cr_assert(ne(int, access(folder, F_OK), 0));
	cr_assert(not(record(1)), "an event after the end");
	cr_assert(ne(int, access(folder, F_OK), 0));
}

Test(collector, records_nothing_while_it_is_off)
{
	begin();
	collector_enable(false);
	cr_assert(eq(int, collector_enabled, 0));
	cr_assert(not(record(1)));
	collector_stop("exit");
	cr_assert(ne(int, access(folder, F_OK), 0));
}

/*
 * Nobody is kept waiting for long: on a busy machine the drain thread goes on by itself, and the
 * live file is gone when it has written all.
 */
static void stop_and_wait(void)
{
	collector_stop("exit");
	for (unsigned i = 0; i < 1000 && list() != 1; i++)
		(void)usleep(100000);
	cr_assert(eq(u32, list(), 1), "the live file is gone");
}

static void *record_many(void *count)
{
	uintptr_t dropped = 0;
	for (uint64_t i = 0; i < (uint64_t)(uintptr_t)count; i++)
		dropped += !record(i);
	return (void *)dropped;
}

/* THREADS threads, each with its own numbers; returns how many events found no slot. */
static uint64_t record_from_threads(uint64_t each)
{
	pthread_t threads[THREADS];
	uint64_t dropped = 0;
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, record_many, (void *)(uintptr_t)each);
	for (unsigned i = 0; i < THREADS; i++) {
		void *mine;
		pthread_join(threads[i], &mine);
		dropped += (uint64_t)(uintptr_t)mine;
	}
	return dropped;
}

Test(collector, has_every_event_of_every_thread_in_order)
{
	begin();
	/* Who comes while the first thread begins the recording waits for that, but not long. */
	cr_assert(record(0));
	cr_assert(eq(u64, record_from_threads(4000), 0));
	stop_and_wait();
	read_back();
	cr_assert(eq(u64, seen.calls, 1 + THREADS * 4000));
	cr_assert(eq(u64, file.gaps, 0));
	cr_assert(gt(u64, seen.samples, 5));
	cr_assert(file.has_end);
	struct collector_totals totals;
	collector_get_totals(&totals);
	cr_assert(eq(u64, totals.events, file.events));
	cr_assert(eq(u64, totals.lost, 0));
	cr_assert(strcmp(totals.path, path) == 0);
}

Test(collector, attempts_are_stored_or_counted_as_lost)
{
	begin();
	uint64_t dropped = record_from_threads(60000);
	stop_and_wait();
	read_back();
	cr_assert(eq(u64, seen.calls + dropped, THREADS * 60000));
	cr_assert(eq(u64, file.lost, dropped));
	cr_assert(eq(u64, file.end.lost, dropped));
}

/* No samples, which come by themselves. */
Test(collector, flush_brings_everything_into_the_file)
{
	struct collector_options options;
	make_options(&options);
	options.without_samples = true;
	cr_assert(eq(int, collector_configure(&options), 0));
	collector_enable(true);
	for (uint64_t i = 0; i < 500; i++) {
		cr_assert(record(i));
		if (i % 100 != 99)
			continue;
		cr_assert(eq(int, request_flush(5000), 0));
		cr_assert(eq(u32, list(), 2), "trace and live file");
		read_back();
		cr_assert(eq(u64, seen.calls, i + 1));
		cr_assert(eq(u64, file.live_events, 0));
	}
	collector_stop("exit");
}

Test(collector, drops_events_after_the_end_silently)
{
	begin();
	cr_assert(record(0));
	collector_stop("exit");
	for (uint64_t i = 0; i < 100000; i++)
		(void)record(i);
	collector_stop("exit again");
	cr_assert(eq(u32, list(), 1));
	read_back();
	cr_assert(eq(u64, seen.calls, 1));
	cr_assert(eq(u64, file.lost, 0));
	cr_assert(strcmp(file.end_reason, "exit") == 0);
}

Test(collector, a_failed_exec_takes_the_file_up_again)
{
	begin();
	for (uint64_t i = 0; i < 5; i++) {
		cr_assert(record(2 * i));
		collector_stop("exec");
		cr_assert(eq(u32, list(), 1));
		read_back();
		cr_assert(file.has_end, "complete if the exec succeeds");
		(void)record(2 * i + 1); /* another thread would go on */
		collector_resume();
	}
	cr_assert(eq(u64, record_from_threads(100), 0));
	collector_stop("exit");
	cr_assert(eq(u32, list(), 1));
	read_back();
	cr_assert(eq(u64, seen.calls, 10 + THREADS * 100));
	cr_assert(eq(u64, file.gaps, 0));
	cr_assert(strcmp(file.end_reason, "exit") == 0);
	cr_assert(eq(u64, file.end.events, file.events));
}

Test(collector, resume_without_a_recording_allows_a_later_one)
{
	begin();
	collector_stop("exec");
	collector_resume();
	cr_assert(record(0));
	collector_stop("exit");
	cr_assert(eq(u32, list(), 1));
}

Test(collector, an_unwritable_folder_turns_recording_off)
{
	struct collector_options options;
	make_options(&options);
	options.out_dir = "/proc/nothing/can/be/made/here";
	options.log_level = 0;
	cr_assert(eq(int, collector_configure(&options), 0));
	collector_enable(true);
	for (unsigned i = 0; i < 10; i++)
		cr_assert(not(record(i)));
	cr_assert(eq(int, collector_enabled, 0));
	collector_enable(true);
	cr_assert(eq(int, collector_enabled, 0));
	collector_stop("exit");
}

Test(collector, keeps_errno)
{
	begin();
	errno = 4711;
	for (uint64_t i = 0; i < 40000; i++)
		(void)record(i);
	(void)collector_name("text", 4);
	(void)request_flush(1000);
	collector_stop("exit");
	cr_assert(eq(int, errno, 4711));
}

Test(collector, keeps_the_signal_mask_and_opens_no_low_descriptor)
{
	sigset_t before, after;
	int next = dup(0);
	close(next);
	begin();
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	cr_assert(record(0));
	pthread_sigmask(SIG_BLOCK, NULL, &after);
	for (int number = 1; number < 64; number++)
		cr_assert(eq(int, sigismember(&before, number), sigismember(&after, number)));
	cr_assert(eq(int, request_flush(5000), 0));
	/* the drain thread may have one open for a moment */
	int now = -1;
	for (int tries = 0; tries < 1000 && now != next; tries++) {
		usleep(tries > 0 ? 1000 : 0);
		now = dup(0);
		close(now);
	}
	cr_assert(eq(int, now, next));
	collector_stop("exit");
}

static char native_module[256];
static uint64_t native_file, native_name; /* ids of texts */

static void see_native(struct trace_file *from, const struct item *item, bool live)
{
	(void)from;
	(void)live;
	if (item->type != ITEM_META)
		return;
	const struct meta *meta = &item->meta;
	if (meta->kind == META_PLACE && strcmp(meta->u.place.language, "native") == 0) {
		cr_assert(strstr(native_module, "test_collector") != NULL);
		cr_assert(eq(u64, meta->u.place.file, native_file));
		cr_assert(eq(u64, meta->u.place.function, native_name));
		native_file = 0;
	} else if (meta->kind == META_NAME && strstr(meta->u.name.text, "/") != NULL) {
		(void)snprintf(native_module, sizeof(native_module), "%s", meta->u.name.text);
		native_file = meta->u.name.id;
	} else if (meta->kind == META_NAME && strcmp(meta->u.name.text, "record") == 0) {
		native_name = meta->u.name.id;
	}
}

Test(collector, names_the_module_of_a_native_place)
{
	begin();
	struct live_place place = {.address = (uint64_t)(uintptr_t)&record + 4};
	uint32_t id = collector_place(&place);
	struct record *slot = collector_reserve();
	*slot = (struct record){.kind = RECORD_CALL, .place = id};
	collector_commit();
	collector_stop("exit");
	cr_assert(eq(u32, list(), 1));
	file = (struct trace_file){.item = see_native};
	cr_assert(eq(int, trace_file_read(&file, path), 0));
	cr_assert(eq(u64, native_file, 0), "a native place came, with its module before it");
}

static void *wait_at(void *barrier)
{
	(void)record(0);
	(void)pthread_barrier_wait(barrier);
	(void)pthread_barrier_wait(barrier);
	return NULL;
}

Test(collector, more_threads_than_rings_lose_events_and_say_so)
{
	enum {
		EXTRA = 20,
		ALL = RING_THREAD_LIMIT + EXTRA
	};
	static pthread_t threads[ALL];
	pthread_attr_t attributes;
	pthread_barrier_t barrier;
	begin();
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 128 << 10);
	pthread_barrier_init(&barrier, NULL, ALL + 1);
	for (unsigned i = 0; i < ALL; i++)
		if (pthread_create(&threads[i], &attributes, wait_at, &barrier) != 0)
			cr_skip_test("cannot make %d threads here", ALL);
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < ALL; i++)
		pthread_join(threads[i], NULL);
	stop_and_wait();
	read_back();
	cr_assert(eq(u64, seen.calls + file.lost, ALL));
	cr_assert(ge(u64, file.lost, EXTRA));
}
