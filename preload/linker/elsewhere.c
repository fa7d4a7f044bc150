/* SPDX-License-Identifier: MIT */
#include "preload/linker/elsewhere.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "collector/own/descriptor.h"
#include "collector/own/loading.h"
#include "collector/own/sandbox.h"
#include "preload/linker/kernel.h"
#include "preload/linker/next.h"
#include "preload/thread/peek.h"

#define THREADS 16u
/* What lies in a frame may be there by chance: nobody is taken to load for longer than that. */
#define LONGEST_S 10

/* Of a thread that came later than that many nothing is known, as if it loaded nothing. */
static struct loading {
	uint32_t tid; /* 0: free */
	const uintptr_t *frame;
	uintptr_t address; /* what lay there */
	time_t begun_s;
} threads[THREADS];

static uint32_t begun; /* so often a thread has begun to load something */
/*
 * What begun was, times two, and 1 where one was at it. Of several threads that fork at once any
 * one's will do: each is from before their forks.
 */
static uint64_t at_fork;

static uint32_t own_tid(void)
{
	return (uint32_t)kernel_call(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

static time_t now_s(void)
{
	struct timespec now = {0, 0};
	(void)kernel_call(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, (long)&now, 0, 0, 0, 0);
	return now.tv_sec;
}

void elsewhere_begins(const uintptr_t *frame)
{
	(void)__atomic_add_fetch(&begun, 1, __ATOMIC_RELAXED);
	if (sandbox_refuses())
		return;
	uint32_t own = own_tid();
	struct loading *one = NULL;
	for (unsigned i = 0; i < THREADS && one == NULL; i++)
		if (__atomic_load_n(&threads[i].tid, __ATOMIC_RELAXED) == own)
			one = &threads[i];
	for (unsigned i = 0; i < THREADS && one == NULL; i++) {
		uint32_t none = 0;
		if (__atomic_compare_exchange_n(
			    &threads[i].tid, &none, own, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			one = &threads[i];
	}
	if (one == NULL)
		return;
	__atomic_store_n(&one->begun_s, now_s(), __ATOMIC_RELAXED);
	__atomic_store_n(&one->address, *frame, __ATOMIC_RELAXED);
	__atomic_store_n(&one->frame, frame, __ATOMIC_RELEASE);
}

/*
 * The kernel says "running", or the number of a system call, what it was given, the stack pointer
 * and where it returns to.
 */
static bool sleeps_above(uint32_t tid, const uintptr_t *frame)
{
	char path[48], text[256];
	(void)snprintf(path, sizeof(path), "/proc/self/task/%u/syscall", tid);
	int fd = descriptor_open(path, O_RDONLY, 0);
	ssize_t size = fd < 0 ? 0 : descriptor_read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		descriptor_close(fd);
	if (size <= 0) /* it has ended, or the kernel does not tell */
		return true;
	text[size] = '\0';
	for (unsigned i = 0; i < 2; i++) {
		char *last = strrchr(text, ' ');
		if (last == NULL)
			return false;
		if (i == 1)
			return strtoull(last + 1, NULL, 16) >= (uintptr_t)frame;
		*last = '\0';
	}
	return false;
}

/* Its return address is in its place, and the thread has not gone back beyond that. */
static bool is_inside(const struct loading *one, uint32_t tid)
{
#if defined(__x86_64__)
	const uintptr_t *frame = __atomic_load_n(&one->frame, __ATOMIC_ACQUIRE);
	uintptr_t now = 0;
	return frame != NULL && now_s() - one->begun_s <= LONGEST_S &&
	       peek(frame, &now, sizeof(now)) && now == one->address && !sleeps_above(tid, frame);
#else /* where return addresses are in a register the place says nothing */
	(void)one;
	(void)tid;
	return false;
#endif
}

static bool another_loads(void)
{
	if (sandbox_refuses())
		return false;
	int saved = errno;
	bool loads = false;
	uint32_t own = own_tid();
	for (unsigned i = 0; i < THREADS && !loads; i++) {
		struct loading *one = &threads[i];
		uint32_t tid = __atomic_load_n(&one->tid, __ATOMIC_RELAXED);
		if (tid == 0 || tid == own)
			continue;
		loads = is_inside(one, tid);
		if (!loads)
			(void)__atomic_compare_exchange_n(
				&one->tid, &tid, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
	errno = saved;
	return loads;
}

bool elsewhere_loads(void)
{
	return loading_is_lost() || another_loads();
}

/* The loader's own; a program may have a copy of it, as it was when the program began. */
static const struct r_debug *loaders_own(void)
{
	const struct link_map *program = _r_debug.r_map;
	const ElfW(Dyn) *at = program != NULL ? program->l_ld : NULL;
	for (; at != NULL && at->d_tag != DT_NULL; at++)
		if (at->d_tag == DT_DEBUG)
			return (const struct r_debug *)at->d_un.d_ptr;
	return NULL;
}

static uint32_t list_state(void)
{
	const struct r_debug *own = loaders_own();
	return own == NULL ? RT_CONSISTENT
			   : __atomic_load_n((const uint32_t *)&own->r_state, __ATOMIC_ACQUIRE);
}

void elsewhere_before_fork(void)
{
	uint64_t before = __atomic_load_n(&begun, __ATOMIC_ACQUIRE);
	__atomic_store_n(&at_fork, before << 1 | another_loads(), __ATOMIC_RELEASE);
}

void elsewhere_after_fork(void)
{
	if (at_fork != (uint64_t)begun << 1 || list_state() != RT_CONSISTENT)
		loading_lose();
}

struct search {
	const char *name;
	const char *const *sonames;
	unsigned count;
	bool is_whole; /* the list was */
	void *found;
};

static void find_in_list(struct search *search)
{
	struct next next;
	struct next_object library;
	next_begin(&next, UINT_MAX);
	search->found = next_function(&next, search->name);
	for (unsigned i = 0; i < search->count && search->found == NULL; i++)
		if (next_library(search->sonames[i], &library))
			search->found = next_chosen(&library, search->name);
}

/*
 * As long as this runs, none is put into the list or taken out of it. Both are done before
 * constructors run and behind destructors, so nobody waits here for a program's own code.
 */
static int look_at_list(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	(void)info;
	(void)size;
	search->is_whole = list_state() == RT_CONSISTENT;
	if (search->is_whole)
		find_in_list(search);
	return 1;
}

/* Where the loader is lost nobody goes on with what is half done. */
void *elsewhere_function(const char *name, const char *const *sonames, unsigned count)
{
	const struct timespec pause = {0, 1000000};
	struct search search = {.name = name, .sonames = sonames, .count = count};
	for (unsigned i = 0; i < LONGEST_S * 1000u && loading_begin(); i++) {
		(void)dl_iterate_phdr(look_at_list, &search);
		loading_end();
		if (search.is_whole)
			return search.found;
		(void)kernel_call(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
	}
	if (loading_is_lost()) {
		next_is_half_closed = list_state() == RT_DELETE;
		find_in_list(&search);
	}
	return search.found;
}
