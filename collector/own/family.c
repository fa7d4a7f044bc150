/* SPDX-License-Identifier: MIT */
#include "collector/own/family.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define PAGE_BYTES 4096u

static uint32_t *own, *parents;

void family_before_fork(void)
{
	if (__atomic_load_n(&own, __ATOMIC_ACQUIRE) != NULL)
		return;
	int saved = errno;
	uint32_t *none = NULL, *page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page != MAP_FAILED && !__atomic_compare_exchange_n(&own, &none, page, false,
					  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		(void)munmap(page, PAGE_BYTES); /* another thread forks too */
	errno = saved;
}

void family_after_fork(void)
{
	int saved = errno;
	if (parents != NULL)
		(void)munmap(parents, PAGE_BYTES);
	parents = own;
	own = NULL;
	errno = saved;
}

void family_begin(void)
{
	uint32_t *word = __atomic_load_n(&own, __ATOMIC_ACQUIRE);
	if (word != NULL)
		__atomic_store_n(word, 1, __ATOMIC_RELEASE);
}

bool family_parent_records(void)
{
	return parents != NULL && __atomic_load_n(parents, __ATOMIC_ACQUIRE) != 0;
}
