/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "collector/base/circle.h"

struct item {
	uint64_t number;
	char rest[16];
};

Test(circle, gives_items_in_the_order_they_came)
{
	CIRCLE(struct item) circle = {0};
	uint64_t put = 0, taken = 0;
	for (unsigned round = 0; round < 2000; round++) {
		for (unsigned i = 0; i < round % 7; i++)
			cr_assert(eq(int, circle_push(&circle, (struct item){.number = put++}), 0));
		for (unsigned i = 0; i < round % 5 && circle_count(&circle) > 0; i++)
			cr_assert(eq(u64, circle_at(&circle, circle.first++)->number, taken++));
	}
	cr_assert(eq(u64, circle_count(&circle), put - taken));
	for (; circle_count(&circle) > 0; taken++)
		cr_assert(eq(u64, circle_at(&circle, circle.first++)->number, taken));
	cr_assert(eq(u64, taken, put));
	circle_release(&circle);
}

Test(circle, keeps_positions_when_it_grows)
{
	CIRCLE(uint32_t) circle = {0};
	for (uint32_t i = 0; i < CIRCLE_LEAST; i++)
		(void)circle_push(&circle, i);
	circle.first = CIRCLE_LEAST / 2;
	for (uint32_t i = CIRCLE_LEAST; i < 5 * CIRCLE_LEAST; i++)
		(void)circle_push(&circle, i);
	cr_assert(eq(sz, circle.capacity, 8 * CIRCLE_LEAST));
	for (uint64_t at = circle.first; at < circle.until; at++)
		cr_assert(eq(u64, *circle_at(&circle, at), at));
	circle_release(&circle);
	cr_assert(eq(sz, circle.capacity, 0));
	cr_assert(eq(u64, circle.until, 0));
	cr_assert(eq(int, circle_push(&circle, 7), 0));
	cr_assert(eq(u32, *circle_at(&circle, 0), 7));
	circle_release(&circle);
}

Test(circle, does_not_grow_when_old_items_are_dropped)
{
	CIRCLE(uint32_t) circle = {0};
	for (uint32_t i = 0; i < 100000; i++) {
		(void)circle_push(&circle, i);
		if (circle_count(&circle) > 10)
			circle.first++;
	}
	cr_assert(eq(sz, circle.capacity, CIRCLE_LEAST));
	circle_release(&circle);
}

Test(circle, memory_is_aligned_and_items_are_where_they_belong)
{
	static const uint32_t items[4] = {40, 41, 42, 39};
	uint32_t *grown = circle_grown(items, 4, 16, 3, 6, sizeof(*items));
	cr_assert(eq(u64, (uintptr_t)grown % 64, 0));
	for (unsigned i = 0; i < 16; i++)
		if (i >= 3 && i < 6)
			cr_assert(eq(u32, grown[i], 36 + i));
	free(grown);
}

Test(circle, too_much_is_refused)
{
	size_t half = SIZE_MAX / 2 + 1;
	cr_assert(eq(ptr, circle_grown(NULL, 0, half, 0, 0, sizeof(struct item)), NULL));
}
