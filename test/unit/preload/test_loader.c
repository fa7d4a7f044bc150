/* SPDX-License-Identifier: MIT */
#include "preload/linker/pending.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "collector/own/sandbox.h"
#include "collector/own/wiped.h"
#include "preload/linker/elsewhere.h"
#include "test/unit/collector/no_calls.h"

/* A stack of our own, growing down: slot n + 1 is below slot n. */
static uintptr_t stack_memory[100];
#define FRAME(depth) (&stack_memory[99 - (depth)])

static void call_dlopen(unsigned depth, uintptr_t returns_to)
{
	stack_memory[99 - depth] = returns_to;
	pending_begin(FRAME(depth));
}

TestSuite(loader, .timeout = 30);

Test(loader, no_dlopen_is_pending_at_first)
{
	cr_assert(pending_none(FRAME(10)));
}

Test(loader, constructor_below_a_dlopen)
{
	call_dlopen(10, 0x1000);
	cr_assert(not(pending_none(FRAME(11))));
	cr_assert(not(pending_none(FRAME(60))));
}

Test(loader, same_function_after_the_return)
{
	call_dlopen(10, 0x1000);
	cr_assert(pending_none(FRAME(10)));
	cr_assert(pending_none(FRAME(60)), "it stays returned");
}

Test(loader, caller_of_the_function_after_the_return)
{
	call_dlopen(10, 0x1000);
	cr_assert(pending_none(FRAME(3)));
}

/* Another call has used the place of the return address: dlopen must have returned. */
Test(loader, deeper_function_after_the_return)
{
	call_dlopen(10, 0x1000);
	stack_memory[99 - 10] = 0x2000;
#if defined(__x86_64__)
	cr_assert(pending_none(FRAME(40)));
#else
	cr_assert(not(pending_none(FRAME(40))));
#endif
}

Test(loader, dlopen_in_a_constructor)
{
	call_dlopen(10, 0x1000);
	call_dlopen(20, 0x3000);
	cr_assert(not(pending_none(FRAME(30))), "both are in progress");
	cr_assert(not(pending_none(FRAME(20))), "the outer one is in progress");
	cr_assert(pending_none(FRAME(10)));
}

Test(loader, deeper_than_is_remembered)
{
	for (unsigned depth = 1; depth < 40; depth++)
		call_dlopen(depth, 0x1000 + depth);
	cr_assert(not(pending_none(FRAME(50))));
	cr_assert(not(pending_none(FRAME(2))));
	cr_assert(pending_none(FRAME(1)));
}

Test(loader, frame_of_a_stack_that_is_gone)
{
	errno = 77;
	uintptr_t *gone = (uintptr_t *)(uintptr_t)0x7fff00000000;
	call_dlopen(10, 0x1000);
	cr_assert(not(pending_none((uintptr_t *)(uintptr_t)0x1000)), "far below");
	cr_assert(pending_none(gone), "far above");
	cr_assert(eq(int, errno, 77));
}

static void *other_thread(void *ret_none)
{
	*(bool *)ret_none = pending_none(FRAME(50));
	return NULL;
}

Test(loader, threads_have_their_own)
{
	pthread_t thread;
	bool none = false;
	call_dlopen(10, 0x1000);
	cr_assert(zero(int, pthread_create(&thread, NULL, other_thread, &none)));
	(void)pthread_join(thread, NULL);
	cr_assert(none);
	cr_assert(not(pending_none(FRAME(50))));
}

#if defined(__x86_64__)
/* A thread that is inside a dlopen, then in the function that called it, then gone. */
static struct {
	pthread_barrier_t next;
	uintptr_t address;
} other;

static __attribute__((noinline)) void sleep_inside(volatile uintptr_t *frame)
{
	pending_begin((const uintptr_t *)frame);
	(void)pthread_barrier_wait(&other.next);
	(void)pthread_barrier_wait(&other.next);
	*frame = other.address + 1; /* somebody else's now */
	(void)pthread_barrier_wait(&other.next);
	(void)pthread_barrier_wait(&other.next);
	*frame = other.address;
}

/* Its return address is in its place, but it is below the stack. */
static void *load_and_return(void *low)
{
	volatile uintptr_t place[512];
	place[0] = other.address;
	sleep_inside(low != NULL ? low : place);
	(void)pthread_barrier_wait(&other.next);
	(void)pthread_barrier_wait(&other.next);
	return NULL;
}

/* Until the other thread sleeps in the barrier as well: then the kernel says where. */
static bool settles(bool loads)
{
	(void)pthread_barrier_wait(&other.next);
	for (unsigned i = 0; i < 5000 && elsewhere_loads() != loads; i++)
		(void)usleep(1000);
	bool good = elsewhere_loads() == loads;
	(void)pthread_barrier_wait(&other.next);
	return good;
}

Test(loader, a_dlopen_of_another_thread)
{
	pthread_t thread;
	errno = 77;
	other.address = 0x1000;
	cr_assert(not(elsewhere_loads()));
	cr_assert(zero(int, pthread_barrier_init(&other.next, NULL, 2)));
	cr_assert(zero(int, pthread_create(&thread, NULL, load_and_return, NULL)));
	cr_assert(settles(true), "inside");
	cr_assert(settles(false), "the place is another's");
	cr_assert(settles(false));
	(void)pthread_join(thread, NULL);
	cr_assert(not(elsewhere_loads()));
	cr_assert(eq(int, errno, 77));
}

Test(loader, a_dlopen_of_another_thread_that_has_returned)
{
	pthread_t thread;
	static uintptr_t low; /* static data lie below all stacks */
	other.address = low = 0x1000;
	cr_assert(zero(int, pthread_barrier_init(&other.next, NULL, 2)));
	cr_assert(zero(int, pthread_create(&thread, NULL, load_and_return, &low)));
	cr_assert(settles(false));
	cr_assert(settles(false));
	cr_assert(settles(false));
	(void)pthread_join(thread, NULL);
}

Test(loader, own_dlopen_is_not_elsewhere)
{
	call_dlopen(10, 0x1000);
	cr_assert(not(elsewhere_loads()));
}
#endif

static void load_and_fork(void)
{
	call_dlopen(10, 0x1000);
	call_dlopen(20, 0x3000);
	(void)pending_nowhere(FRAME(30));
	elsewhere_before_fork();
	elsewhere_after_fork();
}

Test(loader, a_refused_process_makes_no_calls)
{
	cr_assert(no_calls_in(sandbox_refuse, load_and_fork));
	cr_assert(not(no_calls_in(NULL, load_and_fork)));
}

/* The page is wiped in a child that no handler of fork hears of. */
Test(loader, a_child_alone_with_the_lock)
{
	wiped.own = 0;
	cr_assert(elsewhere_loads());
	wiped.own = 1;
	cr_assert(not(elsewhere_loads()));
}

Test(loader, a_function_without_the_loader)
{
	static const char *const sonames[] = {"libnot.so.1", "libc.so.6"};
	cr_assert(zero(ptr, elsewhere_function("no_such_function", sonames, 2)));
	cr_assert(eq(ptr, elsewhere_function("getppid", sonames, 2), (void *)getppid));
}
