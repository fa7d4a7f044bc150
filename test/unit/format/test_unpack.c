/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "collector/codec/unpack.h"

#define MOST   40u
#define BEHIND 96u /* more than what a row may have */

/* The forms of a value by the number of its bytes: 1, 2, 3, 5, 9. */
static const struct form {
	int64_t value;
	uint8_t bytes[9], size;
} forms[] = {
	{0, {0x00}, 1},
	{1, {0x01}, 1},
	{127, {0x7f}, 1},
	{-1, {0xff}, 1},
	{-32, {0xe0}, 1},
	{128, {0xcc, 0x80}, 2},
	{-33, {0xd0, 0xdf}, 2},
	{-300, {0xd1, 0xfe, 0xd4}, 3},
	{70000, {0xce, 0x00, 0x01, 0x11, 0x70}, 5},
	{INT64_MIN, {0xd3, 0x80}, 9},
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

static size_t append(uint8_t *bytes, size_t size, const struct form *form)
{
	for (unsigned i = 0; i < form->size; i++)
		bytes[size++] = form->bytes[i];
	return size;
}

/* Short ones but for one of each form at each place, with and without something behind. */
Test(unpack, a_long_one_among_short_ones_is_found_wherever_it_is)
{
	for (unsigned count = 1; count < MOST; count++)
		for (unsigned at = 0; at < count; at++)
			for (unsigned which = 0; which < FORMS; which++) {
				uint8_t bytes[2 * MOST + BEHIND] = {0};
				int64_t got[MOST];
				size_t size = 0;
				for (unsigned i = 0; i < count; i++)
					size = append(bytes, size, &forms[i == at ? which : i % 5]);
				struct unpack unpack;
				unpack_init(&unpack, bytes, size + (which + at) % 2 * BEHIND);
				cr_assert(unpack_ints(&unpack, count, got));
				cr_assert(eq(ptr, (void *)unpack.next, bytes + size));
				for (unsigned i = 0; i < count; i++)
					cr_assert(eq(
						i64, got[i], forms[i == at ? which : i % 5].value));
			}
}

Test(unpack, what_is_no_number_ends_the_row_where_it_stands)
{
	for (unsigned at = 0; at < MOST; at++)
		for (unsigned behind = 0; behind <= BEHIND; behind += BEHIND) {
			uint8_t bytes[MOST + BEHIND] = {0};
			int64_t got[MOST];
			struct unpack unpack;
			bytes[at] = 0xc1;
			unpack_init(&unpack, bytes, MOST + behind);
			cr_assert(not(unpack_ints(&unpack, MOST, got)));
			cr_assert(eq(ptr, (void *)unpack.next, bytes + at));
		}
}

/* All of them long, from none to more than a row of them left. */
Test(unpack, long_ones_in_a_row)
{
	for (unsigned count = 1; count < MOST; count++) {
		uint8_t bytes[9 * MOST] = {0};
		int64_t got[MOST];
		struct unpack unpack;
		size_t size = 0;
		for (unsigned i = 0; i < count; i++)
			size = append(bytes, size, &forms[FORMS - 1 - i % 3]);
		unpack_init(&unpack, bytes, size);
		cr_assert(unpack_ints(&unpack, count, got));
		cr_assert(eq(ptr, (void *)unpack.next, bytes + size));
		for (unsigned i = 0; i < count; i++)
			cr_assert(eq(i64, got[i], forms[FORMS - 1 - i % 3].value));
		unpack_init(&unpack, bytes, size - 1);
		cr_assert(not(unpack_ints(&unpack, count, got)));
	}
}
