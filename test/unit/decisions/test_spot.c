/* SPDX-License-Identifier: MIT */
/* Which calls are one line of the program, and what a line's figures count. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/timeline/spot.h"

/* A place of the table below; number 0 is no place. */
#define PYTHON(at)                                                                                 \
	{                                                                                          \
		.language = "python", .file = 3, .function = 4, .line = 7, .user_file = 1,         \
		.user_function = 2, .user_line = (at)                                              \
	}
#define THROUGH(at)                                                                                \
	{                                                                                          \
		.language = "python", .file = 3, .line = 7, .user_file = 1, .user_function = 2,    \
		.user_line = 10, .library_file = 8, .library_line = (at)                           \
	}
static const struct meta_PLACE places[] = {
	{.language = ""},
	PYTHON(10),
	PYTHON(10),
	PYTHON(11),
	{.language = "python", .file = 3, .function = 4, .line = 10},
	{.language = "native", .file = 5, .function = 6, .address = 0x100},
	{.language = "native", .file = 5, .function = 6, .address = 0x108},
	{.language = "python"},
	THROUGH(20),
	THROUGH(21),
	THROUGH(20),
};

static const struct meta_PLACE *place_of(const void *context, uint32_t id)
{
	static struct meta_PLACE many;
	(void)context;
	if (id < sizeof(places) / sizeof(places[0]))
		return &places[id];
	many = (struct meta_PLACE){.language = "python", .file = 9, .line = id};
	return &many;
}

static const struct lookup lookup = {.place = place_of};
static struct spots *spots;

static void begin(void)
{
	spots = spots_new();
	cr_assert(spots != NULL);
}

static void end(void)
{
	spots_free(spots);
}

TestSuite(spot, .init = begin, .fini = end);

Test(spot, which_calls_are_one_line)
{
	static const struct {
		const char *name;
		uint32_t place, other_place;
		uint16_t call, other_call;
		enum spot_kind kind, other_kind;
		bool same;
	} cases[] = {
		{"the same place", 1, 1, 1, 1, SPOT_WAIT, SPOT_WAIT, true},
		{"other calls of the line", 1, 1, 1, 2, SPOT_WAIT, SPOT_WAIT, true},
		{"another place inside a library, the same line of the user", 1, 2, 1, 1, SPOT_WAIT,
			SPOT_WAIT, true},
		{"another line", 1, 3, 1, 1, SPOT_WAIT, SPOT_WAIT, false},
		{"the same number of another file", 1, 4, 1, 1, SPOT_WAIT, SPOT_WAIT, false},
		{"another kind of thing", 1, 1, 1, 1, SPOT_WAIT, SPOT_COPY_IN, false},
		{"native code by its address", 5, 6, 1, 1, SPOT_WAIT, SPOT_WAIT, false},
		{"the same address", 5, 5, 1, 2, SPOT_WAIT, SPOT_WAIT, true},
		{"no place: the function counts", 0, 0, 1, 2, SPOT_WAIT, SPOT_WAIT, false},
		{"the same function", 0, 0, 2, 2, SPOT_WAIT, SPOT_WAIT, true},
		{"through another line of a package", 8, 9, 1, 1, SPOT_WAIT, SPOT_WAIT, false},
		{"through the same line of a package", 8, 10, 1, 1, SPOT_WAIT, SPOT_WAIT, true},
		{"through a package and not", 8, 1, 1, 1, SPOT_WAIT, SPOT_WAIT, false},
		{"a place of which nothing is known", 7, 7, 3, 4, SPOT_WAIT, SPOT_WAIT, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct spot *one =
			spots_find(spots, &lookup, cases[i].place, cases[i].call, cases[i].kind);
		const struct spot *other = spots_find(spots, &lookup, cases[i].other_place,
			cases[i].other_call, cases[i].other_kind);
		cr_expect(eq(int, one == other, cases[i].same), "%s", cases[i].name);
	}
}

Test(spot, partners_are_of_one_line)
{
	const struct spot *wait = spots_find(spots, &lookup, 1, 1, SPOT_WAIT);
	cr_expect(spots_partner(spots, wait, SPOT_COPY_IN) == NULL);
	const struct spot *copy = spots_find(spots, &lookup, 2, 1, SPOT_COPY_IN);
	(void)spots_find(spots, &lookup, 3, 1, SPOT_COPY_FREE);
	cr_expect(spots_partner(spots, wait, SPOT_COPY_IN) == copy);
	cr_expect(spots_partner(spots, copy, SPOT_WAIT) == wait);
	cr_expect(spots_partner(spots, wait, SPOT_COPY_FREE) == NULL);
}

Test(spot, too_many_lines_share_one)
{
	for (uint32_t i = 1; i < SPOT_LIMIT; i++) {
		const struct spot *spot = spots_find(spots, &lookup, 100 + i, 1, SPOT_WAIT);
		cr_assert(eq(u32, spot_index(spots, spot), i));
	}
	cr_expect(eq(u32, spots->dropped, 0));
	cr_expect(spots_find(spots, &lookup, 50000, 1, SPOT_WAIT) == &spots->items[0]);
	cr_expect(eq(u32, spots->dropped, 1));
	/* those that are known stay what they are */
	cr_expect(spots_find(spots, &lookup, 101, 1, SPOT_WAIT) == &spots->items[1]);
	cr_expect(eq(u32, spots->dropped, 1));
}

Test(spot, figures_are_kept_by_step)
{
	struct spot *spot = spots_find(spots, &lookup, 1, 1, SPOT_WAIT);
	uint64_t counted[SPOT_VALUE_COUNT];
	for (uint64_t step = 0; step < 6; step += 2) {
		spot_count(spot, step, SPOT_CALLS, 1);
		spot_count(spot, step, SPOT_BYTES, 8);
		spot_count(spot, step, SPOT_CALLS, 1);
	}
	spot_count(spot, 5, SPOT_BYTES, 8); /* not a call */
	series_sum(&spot->counted, 1, 6, counted);
	cr_expect(eq(u64, counted[SPOT_CALLS], 4));
	cr_expect(eq(u64, counted[SPOT_BYTES], 24));
	spots_reset(spots);
	series_sum(&spot->counted, 0, 6, counted);
	cr_expect(eq(u64, counted[SPOT_CALLS], 0));
	cr_expect(spots_find(spots, &lookup, 1, 1, SPOT_WAIT) == spot);
}

/* Of a step in which something is put aside, with the line's calls before, in or behind it. */
Test(spot, steps_with_calls_are_those_that_count)
{
	static const struct {
		const char *calls; /* c: a call; p, a, A: what is cut off */
		uint64_t counted, steps;
	} cases[] = {{"c", 1, 1}, {"ca", 0, 0}, {"cac", 1, 1}, {"cpcac", 2, 1}, {"pcac", 1, 1},
		{"cpA", 0, 0}, {"cpcAc", 1, 1}, {"cpcpc", 3, 1}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct spot *spot = spots_find(spots, &lookup, 1, 1, SPOT_WAIT);
		uint64_t sums[SPOT_VALUE_COUNT];
		for (const char *at = cases[i].calls; *at != '\0'; at++)
			if (*at == 'c')
				spot_count(spot, 0, SPOT_CALLS, 1);
			else
				spots_cut(spots, 0,
					*at == 'p'   ? CUT_PART
					: *at == 'a' ? CUT_ASIDE
						     : CUT_ASIDE_ALL,
					false);
		spots_cut(spots, 0, CUT_STEP, false);
		series_sum(&spot->counted, 0, 1, sums);
		cr_expect(eq(u64, sums[SPOT_CALLS], cases[i].counted), "%s", cases[i].calls);
		cr_expect(eq(u64, sums[SPOT_STEPS], cases[i].steps), "%s", cases[i].calls);
		spots_reset(spots);
	}
}
