/* SPDX-License-Identifier: MIT */
#include "preload/callbacks/callbacks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/format/value.h"
#include "preload/frameworks/frameworks.h"

/* As PyTorch has it: a lock, which a child has as it was. */
static pthread_mutex_t pytorchs = PTHREAD_MUTEX_INITIALIZER;
static unsigned added, removed;
static unsigned of_scope[OP_USER_SCOPE + 1], rare; /* that are there */
static unsigned char scopes[64];                   /* by handle */
static bool few[64];

static uint64_t add(struct torch_callback callback)
{
	(void)pthread_mutex_lock(&pytorchs);
	(void)usleep(200);
	uint64_t handle = __atomic_add_fetch(&added, 1, __ATOMIC_RELAXED);
	unsigned char *scope = memchr(callback.scopes, 1, sizeof(callback.scopes));
	cr_assert(ne(ptr, scope, NULL));
	scopes[handle % 64] = (unsigned char)(scope - callback.scopes);
	few[handle % 64] = callback.probability < 1;
	if (callback.probability < 1)
		rare++;
	else
		of_scope[scopes[handle % 64]]++;
	(void)pthread_mutex_unlock(&pytorchs);
	return handle;
}

static void take_away(uint64_t handle)
{
	(void)pthread_mutex_lock(&pytorchs);
	(void)usleep(200);
	if (few[handle % 64])
		rare--;
	else
		of_scope[scopes[handle % 64]]--;
	(void)__atomic_add_fetch(&removed, 1, __ATOMIC_RELAXED);
	(void)pthread_mutex_unlock(&pytorchs);
}

static void nothing(void)
{
}

static void begin(void)
{
	frameworks.torch_remove = take_away;
	frameworks.torch_add_callback = add;
	callbacks_add(nothing, nothing, OP_FUNCTION);
	callbacks_add(nothing, nothing, OP_BACKWARD_FUNCTION);
	callbacks_add(nothing, nothing, OP_USER_SCOPE);
}

/* Those of operators; that of ranges always is there. */
static unsigned there(void)
{
	cr_assert(eq(u32, of_scope[OP_USER_SCOPE], 1));
	cr_assert(eq(u32, of_scope[OP_FUNCTION], of_scope[OP_BACKWARD_FUNCTION]));
	return of_scope[OP_FUNCTION];
}

TestSuite(callbacks, .init = begin, .timeout = 60);

Test(callbacks, none_while_there_is_a_reason)
{
	cr_assert(eq(u32, there(), 1));
	callbacks_switch(CALLBACKS_BUDGET, true);
	cr_assert(zero(u32, there()));
	cr_assert(zero(u32, rare));
	callbacks_switch(CALLBACKS_HELP, true);
	cr_assert(zero(u32, there()));
	cr_assert(eq(u32, rare, 1), "few of them are looked at by another one");
	callbacks_switch(CALLBACKS_BUDGET, false);
	cr_assert(zero(u32, there()));
	callbacks_switch(CALLBACKS_HELP, false);
	cr_assert(eq(u32, there(), 1));
	cr_assert(zero(u32, rare));
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
	cr_assert(zero(u32, removed));
	callbacks_before_fork();
	callbacks_forked();
	cr_assert(zero(u32, removed), "another one still does");
	callbacks_forked();
	cr_assert(zero(u32, there()), "then it is");
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
	cr_assert(gt(u32, removed, 10), "it was told in between");
}
