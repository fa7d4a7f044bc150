/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>

#include "collector/base/queue.h"

Test(queue, items_lie_in_a_row_in_the_order_they_came)
{
	QUEUE(uint64_t) queue = {0};
	uint64_t put = 0, dropped = 0;
	for (unsigned round = 0; round < 3000; round++) {
		for (unsigned i = 0; i < round % 11; i++)
			cr_assert(eq(int, queue_push(&queue, put++), 0));
		size_t gone = round % 9 < queue.count ? round % 9 : queue.count;
		queue_drop(&queue, gone);
		dropped += gone;
		cr_assert(eq(u64, queue.count, put - dropped));
		for (size_t i = 0; i < queue.count; i++)
			cr_assert(eq(u64, queue.items[i], dropped + i));
	}
	queue_release(&queue);
	cr_assert(eq(sz, queue.capacity, 0));
	cr_assert(eq(ptr, queue.items, NULL));
}

Test(queue, room_of_dropped_items_is_used_again)
{
	QUEUE(uint32_t) queue = {0};
	cr_assert(eq(int, queue_reserve(&queue, 64), 0));
	size_t capacity = queue.capacity;
	for (uint32_t i = 0; i < 100000; i++) {
		cr_assert(eq(int, queue_push(&queue, i), 0));
		if (queue.count == 16)
			queue_drop(&queue, 8);
	}
	cr_assert(eq(sz, queue.capacity, capacity));
	queue_release(&queue);
}

Test(queue, reserved_room_is_there_behind_the_last)
{
	QUEUE(uint32_t) queue = {0};
	for (uint32_t i = 0; i < 100; i++)
		(void)queue_push(&queue, i);
	queue_drop(&queue, 70);
	cr_assert(eq(int, queue_reserve(&queue, 1000), 0));
	cr_assert(eq(int, queue_has_room(&queue, 1000), 1));
	for (uint32_t i = 0; i < 1000; i++)
		queue.items[queue.count++] = 100 + i;
	for (size_t i = 0; i < queue.count; i++)
		cr_assert(eq(u32, queue.items[i], 70 + i));
	queue_release(&queue);
}

Test(queue, an_emptied_queue_begins_at_its_memory_again)
{
	QUEUE(uint32_t) queue = {0};
	for (uint32_t i = 0; i < 5; i++)
		(void)queue_push(&queue, i);
	queue_drop(&queue, 5);
	cr_assert(eq(ptr, queue.items, queue.store));
	queue_release(&queue);
}

Test(queue, without_memory_nothing_changes)
{
	QUEUE(uint64_t) queue = {0};
	(void)queue_push(&queue, 1);
	cr_assert(eq(int, queue_reserve(&queue, SIZE_MAX / 16), -ENOMEM));
	cr_assert(eq(sz, queue.count, 1));
	cr_assert(eq(u64, queue.items[0], 1));
	queue_release(&queue);
}
