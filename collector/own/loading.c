/* SPDX-License-Identifier: MIT */
#include "collector/own/loading.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 100000l /* between two looks at whether the other one has done */

/* One looks at the other's word only when its own says what it is about to do. */
static uint32_t loader; /* the thread that loads, 0: none */
static uint32_t forks;  /* threads that fork */

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

/* False: another one loads, or forks. */
static bool enter(uint32_t self)
{
	uint32_t none = 0;
	if (!__atomic_compare_exchange_n(
		    &loader, &none, self, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return false;
	if (__atomic_load_n(&forks, __ATOMIC_SEQ_CST) == 0)
		return true;
	__atomic_store_n(&loader, 0, __ATOMIC_SEQ_CST);
	return false;
}

void loading_begin(void)
{
	int saved = errno;
	uint32_t self = own_thread();
	for (unsigned looks = 0; !enter(self) && look_again(&looks);)
		;
	errno = saved;
}

void loading_end(void)
{
	uint32_t self = own_thread();
	(void)__atomic_compare_exchange_n(
		&loader, &self, 0, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static bool another_loads(uint32_t self)
{
	uint32_t who = __atomic_load_n(&loader, __ATOMIC_SEQ_CST);
	return who != 0 && who != self;
}

void loading_before_fork(void)
{
	int saved = errno;
	uint32_t self = own_thread();
	(void)__atomic_add_fetch(&forks, 1, __ATOMIC_SEQ_CST);
	for (unsigned looks = 0; another_loads(self) && look_again(&looks);)
		;
	errno = saved;
}

void loading_after_fork(void)
{
	(void)__atomic_sub_fetch(&forks, 1, __ATOMIC_SEQ_CST);
}

void loading_forget(void)
{
	__atomic_store_n(&loader, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&forks, 0, __ATOMIC_SEQ_CST);
}
