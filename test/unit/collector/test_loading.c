/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "collector/base/clock.h"
#include "collector/own/loading.h"

TestSuite(loading, .timeout = 30);

#define WORKS_US 50000u

static int began, ended;
static uint64_t inner_ns;

static void set(int *word)
{
	__atomic_store_n(word, 1, __ATOMIC_SEQ_CST);
}

static bool is_set(int *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST) != 0;
}

static void *load(void *unused)
{
	loading_begin();
	set(&began);
	(void)usleep(WORKS_US);
	set(&ended);
	loading_end();
	return unused;
}

static void *fork_for_a_while(void *unused)
{
	loading_before_fork();
	set(&began);
	(void)usleep(WORKS_US);
	set(&ended);
	loading_after_fork();
	return unused;
}

static pthread_t beside(void *(*work)(void *))
{
	pthread_t thread;
	cr_assert(eq(int, pthread_create(&thread, NULL, work, NULL), 0));
	while (!is_set(&began))
		(void)usleep(100);
	return thread;
}

Test(loading, a_fork_waits_for_who_loads)
{
	pthread_t thread = beside(load);
	errno = 77;
	loading_before_fork();
	cr_assert(is_set(&ended));
	cr_assert(eq(int, errno, 77));
	loading_after_fork();
	(void)pthread_join(thread, NULL);
}

Test(loading, who_loads_waits_for_forks)
{
	pthread_t thread = beside(fork_for_a_while);
	errno = 77;
	loading_begin();
	cr_assert(is_set(&ended));
	cr_assert(eq(int, errno, 77));
	loading_end();
	(void)pthread_join(thread, NULL);
}

Test(loading, any_number_at_once)
{
	pthread_t thread = beside(load);
	loading_begin();
	cr_assert(not(is_set(&ended)));
	loading_end();
	(void)pthread_join(thread, NULL);
}

/* Else the fork would wait for the thread, and the thread for the fork. */
static void *load_in_between(void *unused)
{
	loading_begin();
	set(&began);
	(void)usleep(WORKS_US); /* the fork waits now */
	uint64_t begin = clock_monotonic_ns();
	loading_begin();
	inner_ns = clock_monotonic_ns() - begin;
	loading_end();
	(void)usleep(WORKS_US); /* and goes on waiting */
	set(&ended);
	loading_end();
	return unused;
}

Test(loading, one_pair_in_another)
{
	pthread_t thread = beside(load_in_between);
	loading_before_fork();
	cr_assert(is_set(&ended));
	cr_assert(lt(u64, inner_ns, LOADING_WAIT_NS));
	loading_after_fork();
	(void)pthread_join(thread, NULL);
}

Test(loading, who_has_no_room_goes_on)
{
	for (unsigned i = 0; i < 40; i++)
		loading_begin();
	for (unsigned i = 0; i < 40; i++)
		loading_end();
	pthread_t thread = beside(load);
	loading_before_fork();
	cr_assert(is_set(&ended));
	loading_after_fork();
	(void)pthread_join(thread, NULL);
}

Test(loading, forks_do_not_wait_for_each_other)
{
	loading_before_fork(); /* until the other one is through */
	uint64_t begin = clock_monotonic_ns();
	(void)pthread_join(beside(fork_for_a_while), NULL);
	cr_assert(lt(u64, clock_monotonic_ns() - begin, LOADING_WAIT_NS));
	loading_after_fork();
}

/* The constructor of a library that is loaded for us may fork. */
Test(loading, who_loads_may_fork)
{
	loading_begin();
	uint64_t begin = clock_monotonic_ns();
	loading_before_fork();
	loading_after_fork();
	cr_assert(lt(u64, clock_monotonic_ns() - begin, LOADING_WAIT_NS));
	loading_end();
}

Test(loading, nobody_waits_for_ever)
{
	loading_before_fork(); /* and never comes back */
	uint64_t begin = clock_monotonic_ns();
	loading_begin();
	uint64_t waited = clock_monotonic_ns() - begin;
	cr_assert(ge(u64, waited, LOADING_WAIT_NS));
	loading_end();
	loading_after_fork();
	loading_begin();
	loading_end();
}

Test(loading, a_child_has_nobody_to_wait_for)
{
	pthread_t thread = beside(load);
	loading_forget();
	uint64_t begin = clock_monotonic_ns();
	loading_before_fork();
	loading_after_fork();
	cr_assert(lt(u64, clock_monotonic_ns() - begin, LOADING_WAIT_NS));
	(void)pthread_join(thread, NULL);
	loading_begin();
	loading_end();
}

Test(loading, nothing_is_asked_of_a_lost_loader)
{
	cr_assert(loading_begin());
	loading_end();
	loading_lose();
	cr_assert(not(loading_begin()));
	loading_forget(); /* in a child of this one */
	cr_assert(loading_is_lost());
}
