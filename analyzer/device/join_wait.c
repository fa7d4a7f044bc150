/* SPDX-License-Identifier: MIT */
#include "analyzer/device/join_wait.h"

#include <errno.h>
#include <stdlib.h>

#include "collector/base/circle.h"

#define LEAST_WAITING 1024u /* JOIN_WAITING is a power of 4 times this */

/* More room for operations that wait; false: there is no memory, and nothing changes. */
static bool enlarge(struct join_wait *wait, uint32_t capacity)
{
	/* of a full circle; of one that never was full they reach back to where nothing is */
	uint64_t until = wait->number, first = until - wait->capacity;
	struct record *records = aligned_alloc(64, capacity * sizeof(*records));
	struct join_link *links =
		circle_grown(wait->links, wait->capacity, capacity, first, until, sizeof(*links));
	if (records == NULL || links == NULL) {
		free(records);
		free(links);
		return false;
	}
	for (uint64_t at = first; at != until; at++)
		if (links[at & (capacity - 1)].entry != 0)
			records[at & (capacity - 1)] = wait->records[at & (wait->capacity - 1)];
	for (uint64_t at = until; at != first + capacity; at++)
		links[at & (capacity - 1)] = (struct join_link){0};
	free(wait->records);
	free(wait->links);
	wait->records = records;
	wait->links = links;
	wait->capacity = capacity;
	return true;
}

int join_wait_init(struct join_wait *wait)
{
	*wait = (struct join_wait){.number = 1};
	return enlarge(wait, LEAST_WAITING) ? 0 : -ENOMEM;
}

void join_wait_release(struct join_wait *wait)
{
	free(wait->records);
	free(wait->links);
	vec_release(&wait->early);
	*wait = (struct join_wait){0};
}

uint32_t join_wait_enlarge(struct join_wait *wait)
{
	if (wait->capacity < JOIN_WAITING)
		(void)enlarge(wait, 4 * wait->capacity);
	return wait->links[wait->number & (wait->capacity - 1)].entry - 1; /* 0: nowhere */
}

struct join_early *join_wait_early(struct join_wait *wait, struct join_entry *entry)
{
	if (entry->early != 0)
		return &wait->early.items[entry->early - 1];
	uint32_t index = wait->free_early;
	if (index != 0) {
		wait->free_early = wait->early.items[index - 1].next_free;
		wait->early.items[index - 1] = (struct join_early){0};
	} else {
		if (vec_push(&wait->early, (struct join_early){0}) < 0)
			return NULL;
		index = (uint32_t)wait->early.count;
	}
	entry->early = index;
	return &wait->early.items[index - 1];
}

void join_wait_take_early(
	struct join_wait *wait, struct join_entry *entry, struct join_early *ret_early)
{
	struct join_early *early = &wait->early.items[entry->early - 1];
	*ret_early = *early;
	early->next_free = wait->free_early;
	wait->free_early = entry->early;
	entry->early = 0;
}
