/* SPDX-License-Identifier: MIT */
/* Many threads that record much at once: rings grow, and what was in the small ones comes first. */
#include <pthread.h>

#include "collector/buffer/request.h"
#include "test/unit/collector/recording.h"

#define THREADS 256u
#define EVENTS  12000u /* of 64 bytes: three quarters of what rings may grow by */

TestSuite(burst, .fini = tear_down, .timeout = 120);

static pthread_barrier_t barrier;

static void *record_all(void *unused)
{
	(void)unused;
	for (unsigned i = 0; i < EVENTS; i++) {
		cr_assert(record(i), "event %u is lost, with room for a larger ring", i);
		/* All have a ring before any of them is full. */
		if (i == 0)
			(void)pthread_barrier_wait(&barrier);
	}
	return NULL;
}

/* On a thread of its own, which is none of those that are counted. */
static void *record_one(void *unused)
{
	cr_assert(record(0), "the first event of all");
	return unused;
}

static void begin_recording(void)
{
	pthread_t first;
	cr_assert(eq(int, pthread_create(&first, NULL, record_one, NULL), 0));
	pthread_join(first, NULL);
}

Test(burst, of_many_threads_is_recorded_whole)
{
	static pthread_t threads[THREADS];
	struct collector_options options;
	pthread_attr_t attributes;
	make_options(&options);
	options.rings_on_disk = true; /* how much room there is in memory differs */
	cr_assert(eq(int, collector_configure(&options), 0));
	collector_enable(true);
	/* Who comes while a recording begins waits for it, 100 ms at most: not asked here. */
	begin_recording();
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 128 << 10);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		cr_assert(eq(int, pthread_create(&threads[i], &attributes, record_all, NULL), 0));
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	/* And how long the drain thread takes depends on the machine; a stop waits 2 s at most. */
	while (request_flush(1000) != 0)
		;
	collector_stop("exit");
	cr_assert(eq(u32, list(), 1));
	read_back();
	cr_assert(eq(u64, file.lost + file.gaps, 0));
	cr_assert(eq(u64, seen.calls, 1 + THREADS * EVENTS), "each once and in order");
	unsigned whole = 0;
	for (unsigned i = 0; i < TRACE_FILE_THREADS; i++)
		whole += seen.next[i] == EVENTS;
	cr_assert(eq(u32, whole, THREADS), "a thread with a larger ring is the same thread");
}
