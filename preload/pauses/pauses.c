/* SPDX-License-Identifier: MIT */
#include "preload/pauses/pauses.h"

#include "preload/pauses/collection.h"
#include "preload/pauses/gil.h"

#include <errno.h>

void pauses_enable(bool collections, bool lock)
{
	gil_enable(lock);
	collection_enable(collections);
}

void pauses_attach(void)
{
	collection_attach();
	gil_attach();
}

void pauses_thread_begins(void)
{
	collection_thread_begins();
}

void pauses_after_fork(void)
{
	collection_after_fork();
}

bool pauses_is_lock(const void *condition)
{
	return gil_owns(condition);
}

void pauses_hold(const void *condition)
{
	int saved = errno;
	gil_hold(condition);
	errno = saved;
}

bool pauses_waited(const void *condition, uint64_t begin, uint64_t end)
{
	return gil_waited(condition, begin, end);
}
