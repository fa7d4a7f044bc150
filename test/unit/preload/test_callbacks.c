/* SPDX-License-Identifier: MIT */
#include "preload/torch/callbacks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/format/value.h"
#include "preload/frameworks/frameworks.h"

/* As PyTorch has it: a lock, which a child has as it was. */
static pthread_mutex_t pytorchs = PTHREAD_MUTEX_INITIALIZER;
static unsigned off, on, added;
static uint64_t disabled;

static void disable(uint64_t handle)
{
	(void)pthread_mutex_lock(&pytorchs);
	(void)usleep(200);
	disabled |= 1ull << handle;
	(void)__atomic_add_fetch(&off, 1, __ATOMIC_RELAXED);
	(void)pthread_mutex_unlock(&pytorchs);
}

static void reenable(uint64_t handle)
{
	(void)pthread_mutex_lock(&pytorchs);
	(void)usleep(200);
	disabled &= ~(1ull << handle);
	(void)__atomic_add_fetch(&on, 1, __ATOMIC_RELAXED);
	(void)pthread_mutex_unlock(&pytorchs);
}

static uint64_t add(struct torch_callback callback)
{
	cr_assert(callback.probability > 0);
	return ++added;
}

static void nothing(void)
{
}

static void begin(void)
{
	off = on = added = 0;
	disabled = 0;
	frameworks.torch_disable = disable;
	frameworks.torch_reenable = reenable;
	frameworks.torch_add_callback = add;
	callbacks_add(nothing, nothing, OP_FUNCTION);
	callbacks_add(nothing, nothing, OP_BACKWARD_FUNCTION);
	callbacks_add(nothing, nothing, OP_USER_SCOPE);
}

TestSuite(callbacks, .init = begin, .timeout = 60);

#define OPERATORS (1ull << 1 | 1ull << 2)
#define RARE      (1ull << 4)

Test(callbacks, off_while_there_is_a_reason)
{
	callbacks_switch(CALLBACKS_BUDGET, true);
	cr_assert(eq(u64, disabled, OPERATORS));
	callbacks_switch(CALLBACKS_HELP, true);
	cr_assert(eq(u64, disabled, OPERATORS), "and few of them by another one");
	cr_assert(eq(u32, added, 4));
	callbacks_switch(CALLBACKS_BUDGET, false);
	cr_assert(eq(u64, disabled, OPERATORS));
	callbacks_switch(CALLBACKS_HELP, false);
	cr_assert(eq(u64, disabled, RARE));
	cr_assert(not(callbacks_are_off(CALLBACKS_HELP)));
}

static void *switch_off(void *unused)
{
	callbacks_switch(CALLBACKS_BUDGET, true);
	return unused;
}

Test(callbacks, nothing_is_told_while_a_thread_forks)
{
	pthread_t thread;
	callbacks_before_fork();
	cr_assert(zero(int, pthread_create(&thread, NULL, switch_off, NULL)));
	cr_assert(zero(int, pthread_join(thread, NULL)), "nor is that waited for");
	cr_assert(zero(u32, off));
	callbacks_before_fork();
	callbacks_forked();
	cr_assert(zero(u32, off), "another one still does");
	callbacks_forked();
	cr_assert(eq(u64, disabled, OPERATORS), "then it is");
}

static uint32_t over;

static void *switch_on_and_off(void *unused)
{
	for (unsigned i = 0; __atomic_load_n(&over, __ATOMIC_RELAXED) == 0; i++)
		callbacks_switch(CALLBACKS_BUDGET, i % 2 == 0);
	return unused;
}

Test(callbacks, a_child_finds_the_lock_free)
{
	pthread_t thread;
	unsigned held = 0;
	(void)pthread_atfork(callbacks_before_fork, callbacks_forked, callbacks_after_fork);
	cr_assert(zero(int, pthread_create(&thread, NULL, switch_on_and_off, NULL)));
	for (int i = 0; i < 300; i++) {
		int status = -1;
		pid_t child = fork();
		if (child == 0)
			_exit(pthread_mutex_trylock(&pytorchs) == 0 ? 0 : 1);
		cr_assert(eq(int, waitpid(child, &status, 0), child));
		held += status != 0;
	}
	__atomic_store_n(&over, 1, __ATOMIC_RELAXED);
	(void)pthread_join(thread, NULL);
	cr_assert(zero(u32, held));
	cr_assert(gt(u32, off, 10), "it was told in between");
}
