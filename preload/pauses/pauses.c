/* SPDX-License-Identifier: MIT */
#include "preload/pauses/pauses.h"

#include "preload/pauses/collection.h"
#include "preload/pauses/gil.h"

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

bool pauses_waited(const void *condition, uint64_t begin, uint64_t end)
{
	return gil_waited(condition, begin, end);
}
