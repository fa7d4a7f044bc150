/* SPDX-License-Identifier: MIT */
#include "preload/python/trail.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "preload/frameworks/frameworks.h"
#include "test/unit/preload/python_objects.h"

#define LAYOUT python_layout_3_11
#define CHAINS 48u
#define WORDS  64u

/* Chains of three frames: a function of a package, called by another one, called by the user's. */
static uint64_t code_type[1], package_file[WORDS], user_file[WORDS], empty_table[WORDS];
static uint64_t package_name[WORDS], package_code[WORDS], names[CHAINS][WORDS],
	codes[CHAINS][WORDS];
static uint64_t frames[CHAINS][3][WORDS];
static struct trails trails;
static uint32_t places[CHAINS]; /* as they were the first time */
static unsigned walks, looks;

static void make_code(uint64_t *code, const uint64_t *file, const uint64_t *name, unsigned line)
{
	put(code, 8, address(code_type));
	put(code, LAYOUT.code_file, address(file));
	put(code, LAYOUT.code_name, address(name));
	put(code, LAYOUT.code_line, line);
	put(code, LAYOUT.code_table, address(empty_table));
}

static void make_frame(uint64_t *frame, const uint64_t *code, unsigned at, const uint64_t *caller)
{
	put(frame, LAYOUT.frame_code, address(code));
	put(frame, LAYOUT.frame_at, address(code) + LAYOUT.code_start + at);
	put(frame, LAYOUT.frame_previous, address(caller));
}

static uint32_t look(unsigned chain)
{
	const char *frame = (const char *)frames[chain][0];
	const struct trail *trail = trails_find(&LAYOUT, &trails, frame);
	looks++;
	if (trail != NULL)
		return trail->place;
	walks++;
	return trails_walk(&trails, frame);
}

static void begin(void)
{
	frameworks.python_code_type = (void *)code_type;
	make_text(&LAYOUT, package_file, "/usr/lib/python3/site-packages/torch/nn.py", 1);
	make_text(&LAYOUT, user_file, "/home/me/train.py", 2);
	make_text(&LAYOUT, package_name, "forward", 3);
	make_code(package_code, package_file, package_name, 10);
	for (unsigned i = 0; i < CHAINS; i++) {
		char name[16];
		(void)snprintf(name, sizeof(name), "part%u", i / 2);
		make_text(&LAYOUT, names[i], name, 100 + i / 2);
		make_code(codes[i], user_file, names[i], 1000 + i);
		make_frame(frames[i][2], codes[i], 8, NULL);
		make_frame(frames[i][1], package_code, 2 * (i % 3), frames[i][2]);
		make_frame(frames[i][0], package_code, 20, frames[i][1]);
	}
	trails_use(&LAYOUT);
	trails_begin(&trails);
	for (unsigned i = 0; i < CHAINS; i++) {
		places[i] = look(i);
		cr_assert(ne(u32, places[i], 0));
		for (unsigned k = 0; k < i; k++)
			cr_assert(ne(u32, places[i], places[k]), "%u %u", i, k);
	}
	walks = looks = 0;
}

static void expect(unsigned chain)
{
	uint32_t place = look(chain);
	cr_assert(eq(u32, place, places[chain]), "after %u looks", looks);
}

/* One call of the same line after the other, as a loop over tensors makes them; then others. */
static void make_step(void)
{
	for (unsigned i = 0; i < 20; i++)
		for (unsigned again = i % 4; again < 4; again++)
			expect(i);
}

static void make_layers(unsigned count)
{
	expect(30);
	for (unsigned layer = 0; layer < count; layer++)
		for (unsigned i = 20; i < 29; i++)
			expect(i);
	expect(31);
	expect(20);
	expect(32);
}

Test(trail, steps_are_known_from_the_third_one_on)
{
	begin();
	for (unsigned step = 0; step < 3; step++) {
		make_step();
		make_layers(12);
	}
	walks = looks = 0;
	for (unsigned step = 0; step < 2000; step++) {
		make_step();
		make_layers(12);
	}
	cr_assert(le(dbl, (double)walks / looks, 0.02), "%u of %u", walks, looks);
}

Test(trail, waits_in_between_cost_a_walk_each)
{
	begin();
	srandom(1);
	for (unsigned step = 0; step < 3; step++)
		make_layers(3);
	walks = looks = 0;
	unsigned waits = 0;
	for (unsigned step = 0; step < 3000; step++) {
		make_layers(3);
		for (unsigned i = 33; i < 40; i++) {
			unsigned often = i == 36 ? (unsigned)random() % 4 : 1; /* or not at all */
			waits += often != 1;
			for (; often > 0; often--)
				expect(i);
		}
	}
	cr_assert(le(dbl, (double)walks, 3.0 * waits + 0.05 * looks), "%u, %u waits, %u looks",
		walks, waits, looks);
}

Test(trail, right_in_any_order)
{
	begin();
	srandom(2);
	for (unsigned phase = 0; phase < 400; phase++) {
		unsigned kind = (unsigned)random() % 4, count = (unsigned)random() % 60;
		for (unsigned i = 0; i < count; i++) {
			if (kind == 0)
				make_step();
			else if (kind == 1)
				make_layers(1 + phase % 100);
			for (unsigned k = 0; kind == 2 && k < 300; k++)
				expect((unsigned)random() % CHAINS);
			if (kind == 3 || random() % 20 == 0)
				expect((unsigned)random() % CHAINS);
		}
	}
	cr_assert(gt(u32, looks, 10 * TRAIL_ORDER)); /* it has begun anew */
}

Test(trail, right_in_steps_that_are_too_long)
{
	begin();
	for (unsigned step = 0; step < 4; step++) {
		srandom(3);
		for (unsigned i = 0; i < TRAIL_ORDER + TRAIL_ORDER / 4; i++)
			expect((unsigned)random() % CHAINS);
	}
}

/* A function is made anew in the same memory; a letter of its file and an address are others. */
Test(trail, a_letter_is_not_made_up_for_by_an_address)
{
	static uint64_t tables[2 * 65536 / 8 + WORDS];
	uint64_t *before = tables + 65536 / 8, *after = tables;
	begin();
	make_text(&LAYOUT, user_file, "/home/me/made424.py", 2);
	make_code(codes[0], user_file, names[0], 1000);
	put(codes[0], LAYOUT.code_table, address(before));
	uint32_t place = look(0);
	make_text(&LAYOUT, user_file, "/home/me/made524.py", 2);
	put(codes[0], LAYOUT.code_table, address(after)); /* 65536 less; the letter is 65536 more */
	cr_assert(ne(u32, look(0), place));
}

Test(trail, another_thread_goes_on_with_what_was_left)
{
	begin();
	for (unsigned step = 0; step < 100; step++)
		make_layers(step % 40);
	trails_begin(&trails);
	for (unsigned step = 0; step < 100; step++)
		make_layers(step % 40);
}
