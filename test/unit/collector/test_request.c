/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>

#include "collector/base/clock.h"
#include "collector/buffer/request.h"

TestSuite(request, .timeout = 30);

static uint32_t turns;

/* A drain thread that does nothing but answer. */
static void *serve(void *unused)
{
	(void)unused;
	request_serve();
	while (!request_stop_is_wanted()) {
		uint32_t number;
		(void)request_sleep(10000000000ull);
		__atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED);
		if (request_flush_is_wanted(&number))
			request_answer_flush(number);
	}
	request_close();
	return NULL;
}

static pthread_t start(void)
{
	pthread_t thread;
	request_open();
	cr_assert(eq(int, pthread_create(&thread, NULL, serve, NULL), 0));
	return thread;
}

Test(request, without_a_drain_thread_nobody_waits)
{
	request_wake();
	cr_assert(eq(int, request_flush(10000), -ENOENT));
	cr_assert(eq(int, request_is_drain(), 0));
}

/* The drain thread sleeps ten seconds at a time: only a request gets it up. */
Test(request, gets_the_drain_thread_up_at_once)
{
	uint64_t begin_ns = clock_monotonic_ns();
	pthread_t thread = start();
	for (unsigned i = 0; i < 100; i++)
		cr_assert(eq(int, request_flush(20000), 0));
	request_stop();
	cr_assert(eq(int, pthread_join(thread, NULL), 0));
	cr_assert(lt(u64, clock_monotonic_ns() - begin_ns, 9000000000ull));
	cr_assert(ge(u32, turns, 100));
	cr_assert(eq(int, request_flush(1), -ENOENT));
}

Test(request, a_flush_waits_no_longer_than_it_may)
{
	request_open();
	errno = EDOM;
	uint64_t begin_ns = clock_monotonic_ns();
	cr_assert(eq(int, request_flush(20), -ETIMEDOUT));
	cr_assert(eq(int, errno, EDOM));
	cr_assert(ge(u64, clock_monotonic_ns() - begin_ns, 20000000ull));
	uint32_t number;
	cr_assert(eq(int, request_flush_is_wanted(&number), 1));
	request_answer_flush(number);
	cr_assert(eq(int, request_flush_is_wanted(&number), 0));
}

Test(request, the_drain_thread_does_not_wait_for_itself)
{
	request_open();
	request_serve();
	cr_assert(eq(int, request_is_drain(), 1));
	cr_assert(eq(int, request_flush(10000), -ENOENT));
	request_forget();
	cr_assert(eq(int, request_is_drain(), 0));
}

Test(request, waking_keeps_errno)
{
	pthread_t thread = start();
	for (unsigned i = 0; i < 1000; i++) {
		errno = EDOM;
		request_wake();
		cr_assert(eq(int, errno, EDOM));
	}
	request_stop();
	cr_assert(eq(int, pthread_join(thread, NULL), 0));
}
