/* SPDX-License-Identifier: MIT */
#include "list.h"

#include <errno.h>
#include <sys/mman.h>

#define LEAST  1024u /* items that a list has room for once it had one */
#define ROUNDS 64u   /* after which what was not needed is given back: some seconds */

static int resize(struct list *list, size_t capacity)
{
	int saved_errno = errno;
	size_t size = sizeof(*list->items);
	void *items = list->capacity ? mremap(list->items, list->capacity * size, capacity * size,
					       MREMAP_MAYMOVE)
				     : mmap(NULL, capacity * size, PROT_READ | PROT_WRITE,
					       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved_errno;
	if (items == MAP_FAILED)
		return -1;
	list->items = items;
	list->capacity = capacity;
	return 0;
}

int list_grow(struct list *list)
{
	return resize(list, list->capacity ? 2 * list->capacity : LEAST);
}

int list_add(struct list *list, const struct activity *activity)
{
	struct activity *item = list_extend(list);
	if (!item)
		return -1;
	*item = *activity;
	return 0;
}

void list_settle(struct list *list)
{
	if (++list->rounds % ROUNDS)
		return;
	while (list->capacity > LEAST && list->most <= list->capacity / 4 &&
		resize(list, list->capacity / 2) == 0)
		;
	list->most = list->count;
}

void list_swap(struct list *a, struct list *b)
{
	struct list kept = *a;
	*a = *b;
	*b = kept;
}
