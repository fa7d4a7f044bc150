/* SPDX-License-Identifier: MIT */
/*
 * Activities in a row, in pages of their own, so that what is given back is the system's again. A
 * list that is all zero is empty and has no pages. Who uses one has it alone, or holds its lock.
 */
#ifndef CUDASIM_CUPTI_LIST_H
#define CUDASIM_CUPTI_LIST_H

#include "cupti.h"

#define LIST_LINE_BYTES 64u /* of the cache */
#define LIST_AHEAD      2   /* items: their memory is asked for before they are written */

struct list {
	struct activity *items;
	size_t count, capacity;
	size_t most; /* at once, since what was not needed was given back */
	unsigned rounds;
};

/* Makes room for more. 0, or -1: out of memory. */
int list_grow(struct list *list);

/* The thread that makes the calls would wait for memory that the other one has had. */
static inline void list_prefetch(const struct activity *item)
{
	for (size_t line = 0; line < sizeof(*item); line += LIST_LINE_BYTES) {
#ifdef __x86_64__
		__asm__("prefetchw (%0)" : : "r"((const char *)item + line));
#else
		__builtin_prefetch((const char *)item + line, 1);
#endif
	}
}

/* A place at the end, with what was there before. NULL: out of memory. */
static inline struct activity *list_extend(struct list *list)
{
	if (list->count == list->capacity && list_grow(list))
		return NULL;
	struct activity *item = &list->items[list->count++];
	list_prefetch(item + LIST_AHEAD);
	if (list->count > list->most)
		list->most = list->count;
	return item;
}

/* 0, or -1: out of memory. */
int list_add(struct list *list, const struct activity *activity);

/*
 * Once in each round. What a burst has needed is not kept for long: programs are judged by their
 * memory. What rounds need is, though lists take turns and one may have little for a while: its
 * pages would be faulted in again, by the program's threads.
 */
void list_settle(struct list *list);

void list_swap(struct list *a, struct list *b);

#endif
