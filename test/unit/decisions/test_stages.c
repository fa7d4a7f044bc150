/* SPDX-License-Identifier: MIT */
/* Stages of training, from what ends: W work, L loading, B backward, O optimiser, Z zeroing. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/stages/stages.h"

struct event {
	char class;
	uint32_t thread;
	uint64_t begin_ns, end_ns;
};

static char said[1024];

static void say(const struct stage_span *spans, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		size_t at = strlen(said);
		snprintf(said + at, sizeof(said) - at, "%s%c%llu-%llu", at > 0 ? " " : "",
			stage_names[spans[i].stage][0], (unsigned long long)spans[i].begin_ns,
			(unsigned long long)spans[i].end_ns);
		for (unsigned hole = 0; hole < spans[i].hole_count; hole++) {
			at = strlen(said);
			snprintf(said + at, sizeof(said) - at, "(%llu-%llu)",
				(unsigned long long)spans[i].holes[hole].begin_ns,
				(unsigned long long)spans[i].holes[hole].end_ns);
		}
	}
}

static const char *stages_of(const struct event *events, size_t count)
{
	static const char classes[] = "WLBOZ";
	struct stages stages = {0};
	struct stage_span spans[STAGES_MOST];
	said[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		enum stage_class class =
			(enum stage_class)(strchr(classes, events[i].class) - classes);
		say(spans, stages_add(&stages, class, events[i].thread, events[i].begin_ns,
				   events[i].end_ns, spans));
	}
	say(spans, stages_finish(&stages, spans));
	return said;
}

#define STAGES_OF(...)                                                                             \
	stages_of((const struct event[]){__VA_ARGS__},                                             \
		sizeof((const struct event[]){__VA_ARGS__}) / sizeof(struct event))

Test(stages, of_a_loop_with_backward_on_a_thread_of_its_own)
{
	cr_assert(eq(str,
		(char *)STAGES_OF({'L', 1, 10, 20}, {'W', 1, 32, 35}, {'W', 1, 30, 40},
			{'W', 1, 41, 50}, {'W', 2, 61, 64}, {'B', 2, 60, 65}, {'B', 2, 66, 80},
			{'W', 1, 85, 88}, {'O', 1, 84, 90}, {'Z', 1, 92, 95}, {'L', 1, 100, 110}),
		"l10-20 f30-60 b60-80 o84-90 z92-95 l100-110"));
}

Test(stages, of_the_first_step_are_all_there_without_a_loader)
{
	cr_assert(eq(str,
		(char *)STAGES_OF({'W', 2, 5, 8}, {'Z', 1, 10, 20}, {'W', 1, 30, 40},
			{'B', 2, 50, 60}, {'O', 1, 70, 80}),
		"z10-20 f30-50 b50-60 o70-80"));
	/* whoever steps is the one that trains */
	cr_assert(eq(str,
		(char *)STAGES_OF(
			{'Z', 2, 10, 20}, {'W', 1, 30, 40}, {'O', 1, 70, 80}, {'Z', 1, 81, 82}),
		"z10-20 o70-80 z81-82"));
}

Test(stages, gradients_that_are_zeroed_in_the_forward_pass_are_no_part_of_it)
{
	cr_assert(eq(str,
		(char *)STAGES_OF({'L', 1, 10, 20}, {'W', 1, 30, 40}, {'Z', 1, 42, 45},
			{'W', 1, 46, 47}, {'B', 2, 50, 60}, {'O', 1, 70, 80}),
		"l10-20 z42-45 f30-50(42-45) b50-60 o70-80"));
	cr_assert(eq(str,
		(char *)STAGES_OF({'L', 1, 10, 20}, {'Z', 1, 22, 25}, {'W', 1, 30, 40},
			{'B', 2, 50, 60}, {'O', 1, 70, 80}),
		"l10-20 z22-25 f30-50 b50-60 o70-80"));
}

Test(stages, backward_on_the_thread_itself_has_operators_inside)
{
	cr_assert(eq(str,
		(char *)STAGES_OF({'L', 1, 10, 20}, {'W', 1, 30, 40}, {'W', 1, 51, 52},
			{'B', 1, 50, 53}, {'W', 1, 55, 56}, {'W', 1, 57, 58}, {'B', 1, 54, 60},
			{'W', 1, 66, 67}, {'O', 1, 65, 70}),
		"l10-20 f30-50 b50-60 o65-70"));
}

Test(stages, each_pass_of_an_accumulated_gradient_counts)
{
	cr_assert(eq(str,
		(char *)STAGES_OF({'L', 1, 10, 20}, {'W', 1, 30, 40}, {'B', 2, 50, 60},
			{'W', 1, 70, 75}, {'W', 1, 76, 79}, {'B', 2, 80, 90}, {'B', 2, 91, 95},
			{'O', 1, 100, 110}),
		"l10-20 f30-50 b50-60 f70-80 b80-95 o100-110"));
}

Test(stages, an_evaluation_is_none_of_them)
{
	cr_assert(eq(str,
		(char *)STAGES_OF({'O', 1, 10, 20}, {'L', 1, 30, 40}, {'W', 1, 41, 45},
			{'L', 1, 50, 60}, {'W', 1, 61, 65}, {'L', 1, 70, 80}, {'W', 1, 85, 88},
			{'B', 2, 90, 95}, {'O', 1, 96, 99}),
		"o10-20 l30-40 l50-60 l70-80 f85-90 b90-95 o96-99"));
}

Test(stages, belong_to_the_thread_that_steps_the_optimiser)
{
	/* one loads ahead; then two train, and nobody knows whose a backward function is */
	cr_assert(eq(str,
		(char *)STAGES_OF({'L', 3, 1, 2}, {'W', 1, 5, 6}, {'O', 1, 10, 20},
			{'L', 3, 15, 22}, {'W', 1, 30, 40}, {'B', 2, 50, 60}, {'O', 1, 70, 80}),
		"l1-2 o10-20 f30-50 b50-60 o70-80"));
	cr_assert(eq(str,
		(char *)STAGES_OF({'O', 1, 10, 20}, {'O', 4, 11, 21}, {'W', 1, 30, 40},
			{'B', 2, 50, 60}, {'O', 1, 70, 80}),
		"o10-20 o70-80"));
}
