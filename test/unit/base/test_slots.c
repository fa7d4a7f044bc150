/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "collector/base/hash.h"
#include "collector/base/slots.h"

#define KEYS 5000u

static uint64_t keys[KEYS];

static uint32_t hash_of(uint64_t key)
{
	return (uint32_t)(hash_words(&key, 1) >> 32);
}

static uint32_t find(const struct slots *slots, uint64_t key, uint32_t hash)
{
	uint32_t at = slots_begin(slots, hash), item;
	while ((item = slots_match(slots, hash, &at)) != SLOTS_NONE)
		if (keys[item] == key)
			return item;
	return SLOTS_NONE;
}

Test(slots, an_empty_table_has_nothing)
{
	struct slots slots = {0};
	cr_assert(eq(u32, find(&slots, 1, 1), SLOTS_NONE));
	slots_release(&slots);
}

Test(slots, finds_what_was_added_and_nothing_else)
{
	struct slots slots = {0};
	for (uint32_t i = 0; i < KEYS; i++) {
		keys[i] = 3 * (uint64_t)i << 20;
		cr_assert(eq(u32, find(&slots, keys[i], hash_of(keys[i])), SLOTS_NONE));
		cr_assert(eq(int, slots_add(&slots, hash_of(keys[i]), i), 0));
	}
	for (uint32_t i = 0; i < KEYS; i++) {
		cr_assert(eq(u32, find(&slots, keys[i], hash_of(keys[i])), i));
		cr_assert(eq(u32, find(&slots, keys[i] + 1, hash_of(keys[i] + 1)), SLOTS_NONE));
	}
	cr_assert(eq(u32, slots.count, KEYS));
	cr_assert(le(u32, 2 * slots.count, slots.capacity));
	slots_release(&slots);
	cr_assert(eq(u32, slots.capacity, 0));
}

/* Equal hashes, across growth and around the end of the table. */
Test(slots, all_items_of_one_hash_are_offered)
{
	struct slots slots = {0};
	for (uint32_t i = 0; i < 200; i++)
		cr_assert(eq(int, slots_add(&slots, UINT32_MAX, i), 0));
	unsigned char seen[200] = {0};
	uint32_t at = slots_begin(&slots, UINT32_MAX), item, count = 0;
	for (; (item = slots_match(&slots, UINT32_MAX, &at)) != SLOTS_NONE; count++)
		cr_assert(eq(u8, seen[item]++, 0));
	cr_assert(eq(u32, count, 200));
	cr_assert(eq(u32, find(&slots, 1, 5), SLOTS_NONE));
	slots_release(&slots);
}
