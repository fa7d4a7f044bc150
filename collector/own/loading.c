/* SPDX-License-Identifier: MIT */
#include "collector/own/loading.h"

#include "collector/own/sandbox.h"
#include "collector/own/wiped.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 100000l /* between two looks at whether the other one has done */

#define THREADS 16u

/*
 * Each side notes what it is about to do before it looks at what the other one has noted. A thread
 * that finds no room is not waited for.
 */
static uint32_t loaders[THREADS]; /* threads that are at the loader's tables for us, 0: none */
static uint32_t forks;            /* threads that fork */

static bool lost;

static uint32_t own_thread(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

/* Until there is hope that the word is another one. False: for long enough. */
static bool look_again(unsigned *looks)
{
	const struct timespec pause = {0, LOOK_NS};
	(void)syscall(SYS_nanosleep, &pause, NULL);
	return ++*looks < LOADING_WAIT_NS / LOOK_NS;
}

static bool replace(uint32_t *word, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(
		word, &from, to, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* False: there is none. */
static bool replace_one(uint32_t from, uint32_t to)
{
	for (unsigned i = 0; i < THREADS; i++)
		if (__atomic_load_n(&loaders[i], __ATOMIC_RELAXED) == from &&
			replace(&loaders[i], from, to))
			return true;
	return false;
}

/* False: a thread forks, and does not wait for this one. */
static bool enter(uint32_t self)
{
	bool inside = replace_one(self, self), noted = replace_one(0, self);
	if (inside || __atomic_load_n(&forks, __ATOMIC_SEQ_CST) == 0)
		return true;
	if (noted)
		(void)replace_one(self, 0);
	return false;
}

bool loading_begin(void)
{
	int saved = errno;
	if (loading_is_lost())
		return false;
	if (sandbox_refuses())
		return true;
	uint32_t self = own_thread();
	for (unsigned looks = 0; !enter(self) && look_again(&looks);)
		;
	errno = saved;
	return true;
}

void loading_end(void)
{
	if (sandbox_refuses())
		return;
	(void)replace_one(own_thread(), 0);
}

static bool another_loads(uint32_t self)
{
	uint32_t who = 0;
	for (unsigned i = 0; i < THREADS && (who == 0 || who == self); i++)
		who = __atomic_load_n(&loaders[i], __ATOMIC_SEQ_CST);
	return who != 0 && who != self;
}

void loading_before_fork(void)
{
	if (sandbox_refuses())
		return;
	int saved = errno;
	uint32_t self = own_thread();
	(void)__atomic_add_fetch(&forks, 1, __ATOMIC_SEQ_CST);
	for (unsigned looks = 0; another_loads(self) && look_again(&looks);)
		;
	errno = saved;
}

void loading_after_fork(void)
{
	if (!sandbox_refuses())
		(void)__atomic_sub_fetch(&forks, 1, __ATOMIC_SEQ_CST);
}

void loading_lose(void)
{
	lost = true;
}

bool loading_is_lost(void)
{
	return lost || wiped.own == 0;
}

void loading_forget(void)
{
	for (unsigned i = 0; i < THREADS; i++)
		__atomic_store_n(&loaders[i], 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&forks, 0, __ATOMIC_SEQ_CST);
}
