/* SPDX-License-Identifier: MIT */
#include "preload/frameworks/frameworks.h"
#include "preload/pauses/holder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STATE_WORDS 64
#define PAGE        4096u

static uint64_t own_state[STATE_WORDS];

static void *own(void)
{
	return own_state;
}

static void *none(void)
{
	return NULL;
}

/* A state as of 3.11 and later (native) or before. */
static void write_state(uint64_t *state, unsigned at, bool native)
{
	state[at] = (uint64_t)pthread_self();
	state[at + 1] = native ? (uint64_t)syscall(SYS_gettid) : 7;
}

static struct other {
	uint64_t state[STATE_WORDS];
	bool native;
	uint32_t tid;
	sem_t written, over;
} other;

static void *stand_by(void *argument)
{
	(void)argument;
	other.tid = (uint32_t)syscall(SYS_gettid);
	write_state(other.state, 11, other.native);
	(void)sem_post(&other.written);
	(void)sem_wait(&other.over);
	return NULL;
}

static void names_the_other(bool native)
{
	pthread_t thread;
	frameworks.python_this_thread = own;
	write_state(own_state, 11, native);
	other.native = native;
	cr_assert(eq(int, sem_init(&other.written, 0, 0) | sem_init(&other.over, 0, 0), 0));
	cr_assert(eq(int, pthread_create(&thread, NULL, stand_by, NULL), 0));
	(void)sem_wait(&other.written);
	uint32_t found = holder_thread(other.state);
	uint32_t own_found = holder_thread(own_state);
	(void)sem_post(&other.over);
	(void)pthread_join(thread, NULL);
	cr_expect(eq(u32, found, other.tid));
	cr_expect(eq(u32, own_found, (uint32_t)syscall(SYS_gettid)));
	/* the thread is gone, its state is not: what it says is no thread of ours */
	while (syscall(SYS_tgkill, getpid(), other.tid, 0) == 0)
		(void)sched_yield();
	if (native)
		cr_expect(eq(u32, holder_thread(other.state), 0));
}

Test(holder, system_id_stands_behind_the_threads)
{
	names_the_other(true);
}

Test(holder, system_id_stands_in_the_thread)
{
	names_the_other(false);
}

Test(holder, state_that_is_gone)
{
	frameworks.python_this_thread = own;
	write_state(own_state, 20, true);
	char *page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	cr_assert(ne(ptr, page, MAP_FAILED));
	cr_expect(eq(u32, holder_thread(page), 0));
	cr_expect(eq(u32, holder_thread((void *)8), 0));
	cr_expect(eq(u32, holder_thread(NULL), 0));
	static uint64_t empty[STATE_WORDS];
	cr_expect(eq(u32, holder_thread(empty), 0));
	empty[21] = UINT64_MAX;
	cr_expect(eq(u32, holder_thread(empty), 0));
	empty[21] = 1; /* init is no thread of ours */
	cr_expect(eq(u32, holder_thread(empty), 0));
	cr_expect(eq(u32, holder_thread(own_state), (uint32_t)syscall(SYS_gettid)));
}

/* A thread without a state, and one whose state does not say what is known. */
Test(holder, learns_when_it_can)
{
	frameworks.python_this_thread = none;
	cr_expect(eq(u32, holder_thread(own_state), 0));
	frameworks.python_this_thread = own;
	cr_expect(eq(u32, holder_thread(own_state), 0));
	write_state(own_state, 31, true); /* what is behind lies outside of what is searched */
	cr_expect(eq(u32, holder_thread(own_state), (uint32_t)syscall(SYS_gettid)));
}
