/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "analyzer/steps/vote.h"

/* How many of the marks, given by letters, end a step when all of them were seen before. */
static unsigned ends_of(const char *marks, char *ret_elected)
{
	struct vote vote = {0};
	unsigned ends = 0;
	for (const char *mark = marks; *mark != '\0'; mark++)
		vote_count(&vote, (uint64_t)*mark);
	vote_elect(&vote);
	for (const char *mark = marks; *mark != '\0'; mark++)
		ends += vote_ends(&vote, (uint64_t)*mark, 0);
	*ret_elected = (char)vote.elected;
	return ends;
}

Test(vote, one_mark_ends_every_step)
{
	char elected;
	cr_expect(eq(u32, ends_of("aaaaa", &elected), 5));
	cr_expect(eq(u32, ends_of("", &elected), 0));
}

Test(vote, of_two_in_turn_the_second_ends_the_step)
{
	char elected;
	cr_expect(eq(u32, ends_of("dgdgdgdg", &elected), 4));
	cr_expect(eq(chr, elected, 'g'));
	/* the trace ends within a step */
	cr_expect(eq(u32, ends_of("dgdgdgd", &elected), 3));
	cr_expect(eq(chr, elected, 'g'));
}

Test(vote, of_one_that_comes_now_and_then_the_other)
{
	char elected;
	cr_expect(eq(u32, ends_of("cccccacccccacccccaccc", &elected), 18));
	cr_expect(eq(chr, elected, 'c'));
}

Test(vote, order_within_a_round_may_change)
{
	char elected;
	cr_expect(eq(u32, ends_of("abbaabbaababba", &elected), 7));
}

Test(vote, what_does_not_come_any_more_gives_way)
{
	struct vote vote = {0};
	unsigned ends = 0;
	for (unsigned i = 0; i < 20; i++)
		vote_count(&vote, 1);
	vote_elect(&vote);
	for (unsigned i = 0; i < 1000; i++)
		ends += vote_ends(&vote, 2, 0);
	cr_expect(lt(u32, ends, 1000));
	cr_expect(gt(u32, ends, 900));
}

/* A search over settings makes an optimiser for each. */
Test(vote, many_that_follow_each_other)
{
	struct vote vote = {.staged = true};
	unsigned ends = 0, missed = 0;
	for (uint64_t i = 0; i < 20; i++)
		vote_count(&vote, 1);
	vote_elect(&vote);
	for (uint64_t key = 1; key <= 3 * VOTE_KEYS; key++)
		for (unsigned i = 0; i < 20; i++) {
			ends += vote_ends(&vote, key, 0);
			missed += vote.missed;
		}
	cr_expect(eq(u32, ends + missed, 3 * VOTE_KEYS * 20));
}

Test(vote, without_a_beginning_the_first_mark_is_it)
{
	struct vote vote = {0};
	vote_elect(&vote);
	cr_expect(vote_ends(&vote, 7, 0));
	cr_expect(not(vote_ends(&vote, 8, 0)));
	cr_expect(vote_ends(&vote, 7, 0));
}

Test(vote, more_kinds_than_can_be_kept)
{
	struct vote vote = {0};
	for (uint64_t key = 1; key <= 4 * VOTE_KEYS; key++)
		for (unsigned i = 0; i < 3; i++)
			vote_count(&vote, key);
	cr_expect(eq(u32, vote.count, VOTE_KEYS));
	for (unsigned i = 0; i < 4; i++)
		vote_count(&vote, 9 * VOTE_KEYS); /* what the set-up has left no room for */
	vote_elect(&vote);
	cr_expect(eq(u64, vote.elected, 9 * VOTE_KEYS));
}

/* An evaluation is longer than a few marks, and an epoch comes after it. */
Test(vote, what_comes_again_does_not_give_way)
{
	struct vote vote = {0};
	unsigned ends = 0;
	for (unsigned i = 0; i < 200; i++)
		vote_count(&vote, 1 + i / 150);
	vote_elect(&vote);
	for (unsigned epoch = 0; epoch < 4; epoch++)
		for (unsigned i = 0; i < 220; i++)
			ends += vote_ends(&vote, i < 150 ? 1 : 2, 0);
	cr_expect(eq(u32, ends, 600));
}

Test(vote, of_a_lower_rank_none_is_elected_beside_a_higher_one)
{
	struct vote vote = {0};
	for (unsigned i = 0; i < 100; i++) {
		vote_count(&vote, i % 10 == 0 ? 1 : 2);
		vote_rank(&vote, 2, -1, 0);
	}
	vote_elect(&vote);
	cr_expect(eq(u64, vote.elected, 1));
	/* however long it comes alone */
	for (unsigned i = 0; i < 1000; i++)
		cr_expect(not(vote_ends(&vote, 2, 0)));
}

/* The same for optimisers, of which a training in stages has one for each stage. */
static unsigned staged_ends_of(const char *seen, const char *marks)
{
	struct vote vote = {.staged = true};
	unsigned ends = 0;
	for (const char *mark = seen; *mark != '\0'; mark++)
		vote_count(&vote, (uint64_t)*mark);
	vote_elect(&vote);
	for (const char *mark = marks; *mark != '\0'; mark++)
		ends += vote_ends(&vote, (uint64_t)*mark, 0) ? 1 + vote.missed : 0;
	return ends;
}

Test(vote, each_stage_has_its_own)
{
	const char *stages = "hhhhhhaaaaaaaaaa";
	cr_expect(eq(u32, staged_ends_of(stages, stages), 16));
	/* and the second was not in the beginning */
	cr_expect(eq(u32, staged_ends_of("hhhh", stages), 16));
	cr_expect(eq(u32, staged_ends_of("", stages), 16));
	/* there and back again */
	cr_expect(eq(u32, staged_ends_of("dddd", "ddddggggddddgggg"), 16));
}

/* Letters next to each other are of one group. */
static unsigned detailed_ends_of(const char *seen, const char *marks)
{
	struct vote vote = {.staged = true};
	unsigned ends = 0;
	for (const char *mark = seen; *mark != '\0'; mark++)
		vote_count(&vote, (uint64_t)*mark);
	vote_elect(&vote);
	for (const char *mark = marks; *mark != '\0'; mark++)
		ends += vote_ends(&vote, (uint64_t)*mark, (uint64_t)*mark / 8) && vote.missed == 0;
	return ends;
}

/* Clients that train in turn, a few steps each: no step is lost when the next one comes. */
Test(vote, short_stages_in_turn_take_over_at_once)
{
	/* each comes back, as was seen in the beginning */
	cr_expect(
		eq(u32, detailed_ends_of("aaaaabbbbbcccccaaaaa", "aaaaabbbbbcccccaaaaabbbbb"), 25));
	/* each is a new one: at the same line, or at another */
	cr_expect(eq(u32, detailed_ends_of("hhhhh", "hhhhhiiiiijjjjj"), 15));
	cr_expect(eq(u32, detailed_ends_of("hhhhh", "hhhhhpppppqqqqq"), 12));
	/* many at one line in each round are no stages */
	cr_expect(eq(u32, detailed_ends_of("hijhijhijhij", "hijhijhijhij"), 4));
	cr_expect(eq(u32, detailed_ends_of("hijhijhijhij", "hijhijklmklmklm"), 2));
	/* one that had a row once and takes turns since is none */
	cr_expect(eq(
		u32, detailed_ends_of("bbbbcccccbcccccbccccc", "bbbbcccccbcccccbccccc"), 15 + 1));
}

Test(vote, a_stage_of_one_before_two_in_turn)
{
	const char *stages = "ggggggdgdgdgdgdg";
	cr_expect(eq(u32, staged_ends_of(stages, stages), 11));
	cr_expect(eq(u32, staged_ends_of("dgdgdg", "dgdgdggggg"), 7));
	/* a step of one optimiser to try it out makes no stage */
	cr_expect(eq(u32, staged_ends_of("haaaaaaa", "haaaaaaa"), 7));
}

/* The other mark that may as well end a step, of kinds whose names are their letters; 0: none. */
static char rival_of(const char *marks, char ranked, int32_t rank)
{
	struct vote vote = {0};
	uint32_t elected = 0;
	for (const char *mark = marks; *mark != '\0'; mark++) {
		vote_count(&vote, (uint64_t)*mark);
		vote_rank(&vote, (uint64_t)*mark, *mark == ranked ? rank : 0, (uint32_t)*mark);
	}
	vote_elect(&vote);
	uint32_t rival = vote_rival(&vote, &elected);
	if (rival != 0)
		cr_expect(eq(u32, elected, (uint32_t)vote.elected));
	return (char)rival;
}

Test(vote, marks_that_take_turns_in_stretches_may_each_end_a_step)
{
	cr_expect(eq(chr, rival_of("fffeeeeeefffeeeeee", 0, 0), 'f'));
	cr_expect(eq(chr, rival_of("ffffffffeeeffffffffeee", 0, 0), 'e'));
	cr_expect(eq(chr, rival_of("gggfffeeeeefffeeeee", 0, 0), 'f'));
}

Test(vote, what_a_step_is_made_of_and_what_comes_before_them_all_is_no_rival)
{
	cr_expect(eq(chr, rival_of("ffffffff", 0, 0), 0));
	cr_expect(eq(chr, rival_of("fefefefefefe", 0, 0), 0));
	cr_expect(eq(chr, rival_of("ggggsggggsggggsggggs", 0, 0), 0));
	cr_expect(eq(chr, rival_of("iiiiffffffffffff", 0, 0), 0));
	cr_expect(eq(chr, rival_of("", 0, 0), 0));
}

Test(vote, a_name_that_says_what_it_is_has_no_rival)
{
	cr_expect(eq(chr, rival_of("fffeeeeeefffeeeeee", 'f', 1), 0));
	cr_expect(eq(chr, rival_of("fffeeeeeefffeeeeee", 'e', -1), 0));
}

/* Two in turn, 30 times, then more of the first. Small letters are of one thread, N of none. */
static unsigned ends_of_two(char first, char second, unsigned more)
{
	struct vote vote = {.staged = true};
	unsigned ends = 0;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < 60 + more; i++) {
			char mark = i >= 60 || i % 2 == 0 ? first : second;
			vote.thread = mark == 'N' ? 0 : mark < 'a' ? 2 : 1;
			if (pass == 0)
				vote_count(&vote, (uint64_t)mark);
			else
				ends += vote_ends(&vote, (uint64_t)mark, 0) ? 1 + vote.missed : 0;
		}
		if (pass == 0)
			vote_elect(&vote);
	}
	return ends;
}

/* Two trainings side by side: what is left of one when the other has ended is none of its steps. */
Test(vote, another_thread_is_no_stage)
{
	cr_expect(eq(u32, ends_of_two('b', 'B', 3), 30));
	cr_expect(eq(u32, ends_of_two('B', 'b', 3), 30));
	/* on one thread it is a stage, and where the thread is not known */
	cr_expect(eq(u32, ends_of_two('b', 'c', 3), 33));
	cr_expect(eq(u32, ends_of_two('b', 'N', 3), 33));
}
