/* SPDX-License-Identifier: MIT */
/* Code objects that another thread frees, and what then lies where they lay. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "preload/frameworks/frameworks.h"
#include "preload/sampler/code.h"
#include "test/unit/preload/python_objects.h"

#define LAYOUT   python_layout_3_11
#define WORDS    64u
#define READINGS 16u /* of one position, at most */
#define FIRST    10u /* line of the function */
#define ITS_LINE (FIRST + 1)

static uint64_t code_type[1], text_type[1], bytes_type[1];
static uint64_t code[WORDS], file[WORDS], name[WORDS], table[WORDS], frame[WORDS];
static unsigned readings;
static uint32_t dead; /* bit i: the function is freed before reading i, else it is there */

/* Read from outside, so it says what it is. */
static void make_live_text(uint64_t *object, const char *text, uint64_t hash)
{
	put(object, 0, 1);
	put(object, 8, address(text_type));
	make_text(&LAYOUT, object, text, hash);
}

/* All instructions are of one line, so many behind the first. */
static void make_table(unsigned lines)
{
	const uint8_t entry[] = {0x80 | (10 + lines) << 3 | 7, 0, 0};
	put(table, 0, 1);
	put(table, 8, address(bytes_type));
	put(table, LAYOUT.bytes_size, sizeof(entry));
	memcpy((char *)table + LAYOUT.bytes_data, entry, sizeof(entry));
}

/* Freed memory is as it was but for its first word; the table's is another table's already. */
static void change(bool to_dead)
{
	put(code, 0, to_dead ? address(frame) : 1);
	make_table(to_dead ? 2 : ITS_LINE - FIRST);
}

static unsigned read_memory(const struct peek_piece *pieces, unsigned count, void *ret_bytes)
{
	change(dead >> readings++ & 1);
	return peek_pieces(pieces, count, ret_bytes);
}

static const struct chain_source source = {&LAYOUT, (const char *)code, 0, read_memory};

static void begin(void)
{
	frameworks.python_code_type = (void *)code_type;
	frameworks.python_text_type = (void *)text_type;
	frameworks.python_bytes_type = (void *)bytes_type;
	make_live_text(file, "/home/me/train.py", 1);
	make_live_text(name, "function", 2);
	put(code, 8, address(code_type));
	put(code, 16, 8); /* instructions */
	put(code, LAYOUT.code_file, address(file));
	put(code, LAYOUT.code_name, address(name));
	put(code, LAYOUT.code_line, FIRST);
	put(code, LAYOUT.code_table, address(table));
	put(frame, LAYOUT.frame_code, address(code));
}

static bool look(uint32_t when_dead, struct site_ids *ret_ids)
{
	const struct chain_frame found = {.address = (const char *)frame,
		.code = (const char *)code,
		.at = address(code) + LAYOUT.code_start + 4};
	readings = 0;
	dead = when_dead;
	code_after_fork(); /* nothing is known */
	bool good = code_ids(&source, &found, ret_ids);
	cr_assert(le(uint, readings, READINGS));
	return good;
}

Test(sampler_code, the_line_of_a_function_that_is_there)
{
	struct site_ids ids;
	begin();
	cr_assert(look(0, &ids));
	cr_assert(eq(u32, ids.line, ITS_LINE));
}

Test(sampler_code, a_freed_function_has_no_line)
{
	struct site_ids ids;
	begin();
	cr_assert(not(look(UINT32_MAX, &ids)));
}

/* It is freed and made anew between any readings; then there is its line or none. */
Test(sampler_code, never_the_line_of_a_table_that_came_after)
{
	struct site_ids ids;
	unsigned told = 0;
	begin();
	for (uint32_t when = 0; when < 1u << READINGS; when++)
		if (look(when, &ids)) {
			cr_assert(eq(u32, ids.line, ITS_LINE), "freed at %x", when);
			told++;
		}
	cr_assert(gt(uint, told, 0));
}
