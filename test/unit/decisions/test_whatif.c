/* SPDX-License-Identifier: MIT */
/*
 * A run played again with a cause taken away: each result worked out by hand. Host and device each
 * go on as early as they may; at the end of a stretch the host waits for the device.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

#include "analyzer/timeline/whatif.h"

#define SPOTS        8u
#define PIECES(kind) (1u << PIECE_##kind)
#define INPUT        PIECES(INPUT)
#define LAUNCH       PIECES(LAUNCH)

/* Length with the removal and without, of stretches that are ended by host_ns 0 and device_ns 0. */
struct play_case {
	const char *name;
	struct stretch stretches[4];
	unsigned spots;  /* bit per spot that no longer waits */
	unsigned pinned; /* bit per spot whose copies are from pinned memory */
	unsigned pieces; /* bit per kind of piece */
	double after, before;
};

/* Length with that removed as a share of that with nothing removed. */
static double played_share(
	const struct whatif *whatif, const struct removal *removal, uint64_t first, uint64_t until)
{
	const struct removal nothing = {0};
	return whatif_share(whatif_length(whatif, &nothing, first, until),
		whatif_length(whatif, removal, first, until));
}

static double play(const struct play_case *one)
{
	struct whatif whatif;
	bool spots[SPOTS] = {false}, pinned[SPOTS] = {false};
	for (unsigned i = 0; i < SPOTS; i++) {
		spots[i] = (one->spots >> i & 1) != 0;
		pinned[i] = (one->pinned >> i & 1) != 0;
	}
	const struct removal removal = {.spots = one->spots != 0 ? spots : NULL,
		.pinned = one->pinned != 0 ? pinned : NULL,
		.pieces = one->pieces};
	cr_assert(eq(int, whatif_init(&whatif), 0));
	for (unsigned i = 0; i < 4; i++)
		if (one->stretches[i].host_ns + one->stretches[i].device_ns > 0)
			whatif_add(&whatif, &one->stretches[i]);
	double share = played_share(&whatif, &removal, 0, 1);
	whatif_release(&whatif);
	return share;
}

/* The host works 100, from 50 on the device works 100, and the host waits for it. */
#define SYNC(which)                                                                                \
	{                                                                                          \
		.host_ns = 100, .device_ns = 100, .tail_ns = 150, .wait_ns = 50, .spot = (which)   \
	}

static const struct play_case plays[] = {
	/* 150 + 150; without the first wait the host is at 100: 100 + 150 */
	{"a wait", {SYNC(1), SYNC(2)}, .spots = 1 << 1, .after = 250, .before = 300},
	/* the last wait has nothing behind it that could begin earlier */
	{"the last wait", {SYNC(1), SYNC(2)}, .spots = 1 << 2, .after = 300, .before = 300},
	{"another wait", {SYNC(1), SYNC(2)}, .spots = 1 << 3, .after = 300, .before = 300},
	{"both", {SYNC(1), SYNC(1), SYNC(1)}, .spots = 1 << 1, .after = 350, .before = 450},
	/* the device is the slower one: it has 300 to do whatever the host does */
	{"a wait of a busy device",
		{{.host_ns = 10, .device_ns = 150, .tail_ns = 150, .wait_ns = 140, .spot = 1},
			{.host_ns = 10,
				.device_ns = 150,
				.tail_ns = 150,
				.wait_ns = 140,
				.spot = 1}},
		.spots = 1 << 1, .after = 300, .before = 300},
	/* what a wait takes anyhow: 100 + 20 each; without it 100 each */
	{"a wait for nothing",
		{{.host_ns = 100, .wait_ns = 20, .spare_ns = 20, .spot = 1},
			{.host_ns = 100, .wait_ns = 20, .spare_ns = 20, .spot = 1}},
		.spots = 1 << 1, .after = 200, .before = 240},
	{"a wait of no line is not removed",
		{{.host_ns = 100, .wait_ns = 20, .spare_ns = 20},
			{.host_ns = 100, .wait_ns = 20, .spare_ns = 20}},
		.spots = 0xff, .after = 240, .before = 240},
	{"collections, the interpreter's lock and what else blocks",
		{{.host_ns = 100,
			.pieces = {[PIECE_GC] = 10, [PIECE_GIL] = 20, [PIECE_STALL] = 30}}},
		.pieces = PIECES(GC) | PIECES(STALL), .after = 60, .before = 100},
	/* 100 of which 60 for data; device work of 50 lay at 30 .. 80, then at 0 .. 50 */
	{"data",
		{{.host_ns = 100,
			.pieces[PIECE_INPUT] = 60,
			.device_ns = 50,
			.tail_ns = 80,
			.wait_ns = 10,
			.spare_ns = 10,
			.spot = 1}},
		.pieces = INPUT, .after = 50, .before = 110},
	{"launching",
		{{.host_ns = 100,
			.pieces[PIECE_LAUNCH] = 30,
			.device_ns = 50,
			.tail_ns = 80,
			.wait_ns = 10,
			.spare_ns = 10,
			.spot = 1}},
		.pieces = LAUNCH, .after = 80, .before = 110},
	{"data and launching",
		{{.host_ns = 100,
			.pieces[PIECE_INPUT] = 60,
			.pieces[PIECE_LAUNCH] = 30,
			.wait_ns = 10,
			.spare_ns = 10,
			.spot = 1}},
		.pieces = INPUT | LAUNCH, .after = 20, .before = 110},
	{"not more than the host has",
		{{.host_ns = 100,
			.pieces[PIECE_INPUT] = 60,
			.pieces[PIECE_LAUNCH] = 70,
			.wait_ns = 10,
			.spare_ns = 10,
			.spot = 1}},
		.pieces = INPUT | LAUNCH, .after = 10, .before = 110},
	{"nothing", {SYNC(1), SYNC(2)}, .after = 300, .before = 300},
	/* the copy takes 10 of 30 and stays in front of the kernels: 70 of 90 */
	{"pinned memory alone",
		{{.host_ns = 10,
			.device_ns = 90,
			.tail_ns = 90,
			.wait_ns = 80,
			.spot = 2,
			.parts = {{1, 6, 30}}}},
		.pinned = 1 << 1, .after = 70, .before = 90},
	/* where it runs beside them, 60 */
	{"the same copy beside the kernels",
		{{.host_ns = 10,
			.device_ns = 90,
			.tail_ns = 90,
			.wait_ns = 80,
			.spot = 2,
			.parts = {{1, 6, 30}}}},
		.spots = 1 << 1, .after = 60, .before = 90},
	/*
		 * the copy held the host for 40 and the device for 30: 60 are left of either's
		 * 100
		 */
	{"a copy that holds the host",
		{{.host_ns = 100,
			.device_ns = 80,
			.tail_ns = 100,
			.wait_ns = 1,
			.spot = 2,
			.parts = {{1, 40, 30}}}},
		.spots = 1 << 1, .after = 60, .before = 100},
	/* device work of 60 becomes 10, beside which 50 of copies go on */
	{"a copy that holds nobody",
		{{.host_ns = 20,
			.device_ns = 60,
			.tail_ns = 60,
			.wait_ns = 40,
			.spot = 2,
			.parts = {{1, 0, 50}}}},
		.spots = 1 << 1, .after = 50, .before = 60},
	/*
		 * of pinned memory a third of the time: 30 of 90; 10 of work and 20 of the host
		 * are less
		 */
	{"a copy from pageable memory",
		{{.host_ns = 100,
			.device_ns = 100,
			.tail_ns = 100,
			.wait_ns = 1,
			.spot = 2,
			.parts = {{1, 80, 90}}}},
		.spots = 1 << 1, .after = 30, .before = 100},
	{"a copy of another line",
		{{.host_ns = 100,
			.device_ns = 80,
			.tail_ns = 100,
			.wait_ns = 1,
			.spot = 2,
			.parts = {{3, 40, 30}}}},
		.spots = 1 << 1, .after = 100, .before = 100},
	/* without any wait the longer of both sides counts */
	{"no wait at all, the device is slower",
		{{.host_ns = 100, .pieces[PIECE_INPUT] = 100, .device_ns = 150, .tail_ns = 250}},
		.pieces = INPUT, .after = 150, .before = 250},
	{"no wait at all, the host is slower",
		{{.host_ns = 100, .pieces[PIECE_INPUT] = 40, .device_ns = 10, .tail_ns = 20}},
		.pieces = INPUT, .after = 60, .before = 100},
};

Test(whatif, each_removal)
{
	for (size_t i = 0; i < sizeof(plays) / sizeof(plays[0]); i++) {
		double share = play(&plays[i]), wanted = plays[i].after / plays[i].before;
		cr_expect(fabs(share - wanted) < 1e-12, "%s: %g of %g, not %g", plays[i].name,
			share * plays[i].before, plays[i].before, plays[i].after);
	}
}

/* Stretch i belongs to step i and takes 100, of which i + 1 are spent on data. */
Test(whatif, only_the_steps_asked_for)
{
	static const struct {
		uint64_t first, until;
		double after, before;
	} cases[] = {
		{0, 4, 390, 400},
		{1, 4, 291, 300},
		{0, 3, 294, 300},
		{2, 3, 97, 100},
		{3, 3, 1, 1}, /* none */
		{4, 9, 1, 1},
	};
	const struct removal removal = {.pieces = INPUT};
	struct whatif whatif;
	cr_assert(eq(int, whatif_init(&whatif), 0));
	for (uint64_t i = 0; i < 4; i++)
		whatif_add(&whatif,
			&(struct stretch){.step = i, .host_ns = 100, .pieces[PIECE_INPUT] = i + 1});
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double share = played_share(&whatif, &removal, cases[i].first, cases[i].until);
		cr_expect(fabs(share - cases[i].after / cases[i].before) < 1e-12, "case %zu: %g", i,
			share);
	}
	whatif_reset(&whatif);
	cr_expect(eq(dbl, played_share(&whatif, &removal, 0, 4), 1.0));
	whatif_release(&whatif);
}

Test(whatif, the_last_stretches_are_kept)
{
	const struct removal removal = {.pieces = INPUT};
	struct whatif whatif;
	cr_assert(eq(int, whatif_init(&whatif), 0));
	/* one that is all data, then as many without as there is room for */
	whatif_add(&whatif, &(struct stretch){.host_ns = 1000000, .pieces[PIECE_INPUT] = 1000000});
	for (unsigned i = 1; i < WHATIF_LIMIT; i++)
		whatif_add(&whatif, &(struct stretch){.host_ns = 1});
	cr_expect(played_share(&whatif, &removal, 0, 1) < 0.01);
	whatif_add(&whatif, &(struct stretch){.host_ns = 1});
	cr_expect(eq(dbl, played_share(&whatif, &removal, 0, 1), 1.0));
	whatif_release(&whatif);
}

Test(whatif, a_share_is_never_0)
{
	const struct removal removal = {.pieces = INPUT};
	struct whatif whatif;
	cr_assert(eq(int, whatif_init(&whatif), 0));
	whatif_add(&whatif, &(struct stretch){.host_ns = 500, .pieces[PIECE_INPUT] = 500});
	double share = played_share(&whatif, &removal, 0, 1);
	cr_expect(share > 0 && share <= 1e-6, "%g", share);
	whatif_release(&whatif);
}

Test(whatif, copies_of_a_stretch_by_line)
{
	struct stretch stretch = {0};
	cr_expect(stretch_part(&stretch, 0) == NULL);
	for (uint32_t spot = 1; spot <= WHATIF_PARTS; spot++) {
		struct stretch_part *part = stretch_part(&stretch, 10 * spot);
		cr_assert(part != NULL);
		part->host_ns += spot;
	}
	cr_expect(stretch_part(&stretch, 99) == NULL);
	for (uint32_t spot = 1; spot <= WHATIF_PARTS; spot++)
		cr_expect(eq(u64, stretch_part(&stretch, 10 * spot)->host_ns, spot));
}

/* The same stretches, of which the oldest were never there, and some that were forgotten. */
Test(whatif, what_is_kept_of_a_stretch_goes_with_it)
{
	const bool spots[SPOTS] = {false, true, false, true};
	const struct removal removals[] = {{.pieces = INPUT | PIECES(GC)}, {.spots = spots},
		{.spots = spots, .pinned = spots, .pieces = LAUNCH}};
	struct whatif all, last;
	cr_assert(whatif_init(&all) == 0 && whatif_init(&last) == 0);
	for (uint64_t i = 0; i < 3 * (uint64_t)WHATIF_LIMIT / 2; i++) {
		struct stretch stretch = {
			.step = 1, .host_ns = 1000 + i % 7, .device_ns = 900, .tail_ns = 900};
		for (unsigned kind = 0; kind < i % PIECE_KIND_COUNT; kind++)
			stretch.pieces[kind] = (i + kind) % 3 * 10;
		for (uint32_t spot = 1; spot <= i % 5; spot++)
			stretch.parts[spot - 1] = (struct stretch_part){spot, i % 50, i % 30};
		whatif_add(&all, &stretch);
		if (i >= WHATIF_LIMIT / 2)
			whatif_add(&last, &stretch);
	}
	for (unsigned forget = 0; forget < 2; forget++) {
		for (unsigned i = 0; i < sizeof(removals) / sizeof(removals[0]); i++) {
			double share = played_share(&last, &removals[i], 1, 2);
			cr_expect(share < 1);
			cr_expect(eq(dbl, played_share(&all, &removals[i], 1, 2), share));
		}
		whatif_forget(&all, all.count - 100);
		whatif_forget(&last, last.count - 100);
	}
	cr_expect(le(sz, all.pieces.until - all.pieces.first, all.pieces.capacity));
	whatif_release(&all);
	whatif_release(&last);
}
