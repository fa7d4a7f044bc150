/* SPDX-License-Identifier: MIT */
#include "preload/python/owner.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "preload/frameworks/frameworks.h"
#include "test/unit/preload/python_objects.h"

#define LAYOUT python_layout_3_13

/* Of an object: reference count, type, then what its kind has. */
static uint64_t types[3], name[16], file[16], code[32], frame[32], numbers[2][4];
static uint64_t other_name[16], inner_code[32], inner[32], given[2][4];

static void make_frame(void)
{
	frameworks.python_code_type = (void *)&types[0];
	frameworks.python_int_type = (void *)&types[1];
	make_text(&LAYOUT, name, "work", 0);
	make_text(&LAYOUT, file, "/lib/worker.py", 0);
	put(code, 8, address(&types[0]));
	put(code, LAYOUT.code_name, address(name));
	put(code, LAYOUT.code_file, address(file));
	put(frame, LAYOUT.frame_code, address(code));
	put(frame, LAYOUT.frame_locals, address(numbers[0]) | 1); /* borrowed, as 3.14 marks it */
	put(frame, LAYOUT.frame_locals + 8, address(numbers[1]));
	for (unsigned i = 0; i < 2; i++)
		put(numbers[i], 8, address(&types[1]));
}

/* What is read where an int has that in the place of its size. */
static bool reads(uint64_t size, uint32_t digit, uint32_t *ret_number)
{
	static const struct owner_numbers wanted = {"work", "worker.py", {0, 1}};
	uint32_t both[2];
	make_frame();
	put(numbers[0], 16, size);
	put(numbers[0], 24, digit);
	put(numbers[1], 16, 1u << 3);
	put(numbers[1], 24, 7);
	bool read = owner_numbers(&LAYOUT, (const char *)frame, &wanted, both);
	*ret_number = both[0];
	return read && both[1] == 7;
}

Test(owner, numbers_as_the_versions_keep_them)
{
	static const struct {
		uint64_t size;
		uint32_t digit;
	} good[] = {{0, 0}, {1, 5} /* up to 3.11 */, {1 << 3, 5}, {1, 0} /* from 3.12 on: 5, 0 */,
		{1 << 3 | 4, 5}, {4 | 1, 0} /* and since 3.14, below 257 */};
	uint32_t number;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		cr_assert(reads(good[i].size, good[i].digit, &number), "%zu", i);
		cr_assert(eq(u32, number, good[i].digit));
	}
}

Test(owner, no_number_that_is_large_or_negative)
{
	static const uint64_t bad[] = {2, 4, 2 << 3, 1 << 3 | 2, 1 << 3 | 4 | 2, UINT64_MAX};
	uint32_t number;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cr_assert(not(reads(bad[i], 3, &number)), "%zu", i);
}

Test(owner, nothing_of_another_function)
{
	static const struct owner_numbers other = {"works", "worker.py", {0, 1}},
					  elsewhere = {"work", "workers.py", {0, 1}};
	uint32_t both[2];
	make_frame();
	cr_assert(not(owner_numbers(&LAYOUT, (const char *)frame, &other, both)));
	cr_assert(not(owner_numbers(&LAYOUT, (const char *)frame, &elsewhere, both)));
	cr_assert(not(owner_numbers(&LAYOUT, NULL, &other, both)));
}

/* A frame of "work" with what it was called with, and one of another function further in. */
static void make_call(void)
{
	make_frame();
	memset(name, 0, sizeof(name));
	make_text(&LAYOUT, name, "work", 0);
	make_text(&LAYOUT, other_name, "enter", 0);
	memcpy(inner_code, code, sizeof(code));
	put(inner_code, LAYOUT.code_name, address(other_name));
	put(inner, LAYOUT.frame_code, address(inner_code));
	put(inner, LAYOUT.frame_previous, address(frame));
	frameworks.python_tuple_type = (void *)&types[2];
	for (unsigned i = 0; i < 2; i++) {
		put(given[i], 8, address(&types[2]));
		put(given[i], 16, 1);
		put(given[i], LAYOUT.tuple_items, 4096 + 8 * i);
	}
	put(frame, LAYOUT.frame_locals, address(given[0]));
}

static uint64_t owner(struct owner_found *found)
{
	static const char function[] = "work";
	return owner_of(&LAYOUT, (const char *)inner, function, "worker.py", found);
}

/* It has been found once. */
static void find_first(struct owner_found *found)
{
	*found = (struct owner_found){0};
	make_call();
	cr_assert(eq(u64, owner(found), 4096));
}

Test(owner, first_that_a_function_was_given_each_time)
{
	struct owner_found found;
	find_first(&found);
	cr_assert(eq(ptr, (void *)found.code, code));
	put(frame, LAYOUT.frame_locals, address(given[1]));
	cr_assert(eq(u64, owner(&found), 4104), "the call's, not the one before's");
	put(given[1], 16, 0);
	cr_assert(eq(u64, owner(&found), 0), "nothing was given");
}

Test(owner, not_what_has_come_to_lie_where_it_was)
{
	struct owner_found found;
	find_first(&found);
	put(code, LAYOUT.code_name, address(other_name));
	cr_assert(eq(u64, owner(&found), 0), "another function's code");
	make_call();
	put(frame, LAYOUT.frame_code, address(inner_code));
	put(inner, LAYOUT.frame_previous, 0);
	cr_assert(eq(u64, owner(&found), 0), "it does not run");
}

Test(owner, of_the_innermost_of_two)
{
	struct owner_found found;
	find_first(&found);
	put(inner, LAYOUT.frame_code, address(code));
	put(inner, LAYOUT.frame_locals, address(given[1]));
	cr_assert(eq(u64, owner(&found), 4104));
}
