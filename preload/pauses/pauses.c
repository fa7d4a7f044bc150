/* SPDX-License-Identifier: MIT */
#include "preload/pauses/pauses.h"

#include "preload/pauses/collection.h"

void pauses_enable(bool collections)
{
	collection_enable(collections);
}

void pauses_attach(void)
{
	collection_attach();
}

void pauses_thread_begins(void)
{
	collection_thread_begins();
}

void pauses_after_fork(void)
{
	collection_after_fork();
}
