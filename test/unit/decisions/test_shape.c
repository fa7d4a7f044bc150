/* SPDX-License-Identifier: MIT */
/*
 * Loops in letters. Kernels of the training line: a b c; the same kernels from the line of an
 * evaluation: A B C; another kernel from a third line: x. r reads a result, R does from another
 * line, l and L are batches of two loaders, w fetches what is saved. p, q and m are work that is no
 * call. < is a backward pass and . the end of a step.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/steps/shape.h"

#define USUAL "abc<."

struct told {
	unsigned leaves, turns, returns, repeats, passes, begins;
	enum phase phase; /* of the last that put something aside */
	unsigned aside, since_begin;
	char places[16]; /* of what was put aside, evaluation as its letter, saving in < > */
};

static void tell(struct told *told, enum phase phase, uint32_t place)
{
	size_t length = strlen(told->places);
	if (phase == PHASE_NONE)
		return;
	told->phase = phase;
	told->aside++;
	snprintf(told->places + length, sizeof(told->places) - length,
		phase == PHASE_CHECKPOINT ? "<%c>" : "%c", (char)place);
}

static void see(struct shape *shape, char letter, struct told *told)
{
	struct shape_call call = {.token = (uint64_t)letter + 1000, .place = (uint32_t)letter};
	struct shape_told said;
	if (letter == '<' || letter == '.') {
		letter == '<' ? shape_backward(shape) : shape_end(shape);
		return;
	}
	if (strchr("pqm", letter) != NULL) {
		shape_work(shape, (uint64_t)letter, 0);
		return;
	}
	if (strchr("rRw", letter) == NULL)
		call.kind = letter == 'l' || letter == 'L' ? SHAPE_LOAD : SHAPE_LAUNCH;
	if (call.kind == SHAPE_LAUNCH)
		call.name = (uint64_t)(letter | 0x20);
	call.saves = letter == 'w';
	enum shape_says says = shape_call(shape, &call, &said);
	told->turns += says == SHAPE_TURNS;
	told->leaves += says == SHAPE_LEAVES;
	told->returns += says == SHAPE_RETURNS;
	told->repeats += says == SHAPE_REPEATS;
	told->passes += says == SHAPE_PASSES;
	told->begins += says == SHAPE_BEGINS;
	told->since_begin += says == SHAPE_REPEATS && said.rest;
	tell(told, said.left, said.left_place);
	tell(told, said.phase, said.place);
}

/* A loop after so many usual steps that they are known. */
static struct told told_of(const char *usual, const char *then)
{
	struct shape *shape = calloc(1, sizeof(*shape));
	struct told told = {.phase = PHASE_NONE};
	cr_assert(shape != NULL);
	for (unsigned i = 0; i <= SHAPE_LEARNT; i++)
		for (const char *at = usual; *at != '\0'; at++)
			see(shape, *at, &told);
	cr_expect(shape->known);
	cr_expect(eq(u32, told.leaves + told.repeats + told.aside, 0));
	for (const char *at = then; *at != '\0'; at++)
		see(shape, *at, &told);
	free(shape);
	return told;
}

/* The same of a program that ends so many steps after its first: what came is all that there is. */
static struct told told_of_few(unsigned steps, const char *then, bool *ret_known)
{
	struct shape *shape = calloc(1, sizeof(*shape));
	struct told told = {.phase = PHASE_NONE};
	cr_assert(shape != NULL);
	for (unsigned i = 0; i <= steps; i++)
		for (const char *at = i == 2 ? "ABCR" USUAL : USUAL; *at != '\0'; at++)
			see(shape, *at, &told);
	shape_learnt(shape);
	*ret_known = shape->known;
	for (const char *at = then; *at != '\0'; at++)
		see(shape, *at, &told);
	free(shape);
	return told;
}

Test(shape, a_few_steps_show_what_is_usual_where_there_are_no_more)
{
	bool known;
	struct told told = told_of_few(SHAPE_FEWEST, "ABCR" USUAL USUAL "www" USUAL, &known);
	cr_expect(known);
	cr_expect(eq(u32, told.aside, 2));
	cr_expect(eq(str, told.places, "A<w>"));
	told = told_of_few(SHAPE_LEARNT - 1, "R" USUAL "xxxR" USUAL, &known);
	cr_expect(known);
	cr_expect(eq(u32, told.leaves, 2));
	cr_expect(eq(u32, told.aside, 0));
	told = told_of_few(SHAPE_FEWEST - 1, "ABCR" USUAL, &known);
	cr_expect(not(known));
	cr_expect(eq(u32, told.aside, 0));
}

Test(shape, usual_steps_say_nothing)
{
	struct told told = told_of(USUAL, USUAL USUAL USUAL);
	cr_expect(eq(u32, told.leaves + told.returns + told.repeats + told.passes, 0));
}

Test(shape, phases)
{
	static const struct {
		const char *usual, *then;
		unsigned aside;
		enum phase phase;
	} cases[] = {
		{USUAL, "ABCRABCR" USUAL, 1, PHASE_EVALUATION},
		{USUAL, "R" USUAL, 0, PHASE_NONE},        /* a result is logged */
		{USUAL, "xxxxRxxx" USUAL, 0, PHASE_NONE}, /* kernels that are no forward pass */
		{USUAL, "ABC<" USUAL, 0, PHASE_NONE},     /* trained from another line */
		{USUAL, "www" USUAL, 1, PHASE_CHECKPOINT},
		{"labc<.", "lLABCRLABCRlabc<.", 1, PHASE_EVALUATION},
		{"labc<.", "lLlabc<.", 0, PHASE_NONE}, /* drawn, nothing done with it */
		{"labc<.", "llxyzlxyzlabc<.", 2, PHASE_EVALUATION}, /* drawn by the same line */
		{"labc<.", "lxlabc<.", 0, PHASE_NONE},              /* an epoch's figure */
		{"labc<.", "RxLlabc<.", 0, PHASE_NONE}, /* the first batch of an epoch */
		{"labc<.", "LabcxRLabcxRlabc<.", 3, PHASE_EVALUATION}, /* the model's own lines */
		{USUAL, "abcRabcR" USUAL, 2, PHASE_EVALUATION},        /* by the same lines */
		{"rabc<.", "rabcRabcRabc<.", 2, PHASE_EVALUATION},
		{"abcabcabc<.", "abcabcabc<.", 0, PHASE_NONE}, /* a loop in the forward pass */
		{"abc<abc<.", "abc<abc<.", 0, PHASE_NONE},     /* gradients are accumulated */
		{"abc<abc<.", "abcRabc<abc<.", 1, PHASE_EVALUATION},
		{"dabc<.", "RabcRabcRd", 2, PHASE_EVALUATION}, /* the next step begins before it */
		{"dabc<.", "RabcRabcRx", 1, PHASE_EVALUATION},
		{"abcdefghi<.", "abRabRabRabRabRabcdefghi<.", 4, PHASE_EVALUATION}, /* short ones */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct told told = told_of(cases[i].usual, cases[i].then);
		cr_expect(eq(u32, told.aside, cases[i].aside), "%s", cases[i].then);
		cr_expect(eq(int, told.phase, cases[i].phase), "%s", cases[i].then);
	}
}

/* What passes before is of the step, and none of what the same lines evaluate then. */
Test(shape, what_comes_before_an_evaluation_is_of_the_step)
{
	static const struct {
		const char *usual, *then;
		unsigned begins, since;
	} cases[] = {
		{"labc<.r", "llabcrlabcrllabc<.r", 1, 2},
		{"labc<.r", "llabc<.rlabc<.r", 1, 0},      /* nothing is evaluated */
		{"labc<.r", "labcrlabcrlabc<.r", 0, 0},    /* of batches that are kept */
		{"llabc<.r", "llabc<.rllabc<.r", 0, 0},    /* two loaders by one line */
		{"labc<.r", "llabcrllabc<.rlabcrl", 2, 2}, /* told anew in the next step */
		/* de: a mean of the weights, after which something is drawn by the model's lines */
		{"abc<.de", "RabcRabcabc<.de", 0, 2},
		{"abc<.de", "RabcRabcabc<.deRabcabc<.de", 0, 3},
		{"abc<.de", "abcRabcRabc<.de", 0, 0}, /* left within a forward pass: not known */
		{"abc<.de", "abcRabcRabc<.deRabcabc<.de", 0, 1},
		{"abc<.de", "abcRabcabc<.deabcRabcabc<.de", 1, 2}, /* by now it is */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct told told = told_of(cases[i].usual, cases[i].then);
		cr_expect(eq(u32, told.begins, cases[i].begins), "%s", cases[i].then);
		cr_expect(eq(u32, told.since_begin, cases[i].since), "%s", cases[i].then);
	}
}

Test(shape, phases_of_a_program_whose_work_has_no_lines)
{
	static const struct {
		const char *usual, *then, *places;
	} cases[] = {
		{"lpqpq<.", "LpqpqLpqpqlpqpq<.", "L"},
		{"lpqpq<.", "lpqpqlpqpqlpqpq<.lpqpq<.", "ll"}, /* drawn by the same line */
		{"lpqpq<.", "pqpqlpqpq<.", "l"},               /* of a batch that is kept */
		{"lpqpq<r.", "LpqpqRLpqpqRwwlpqpq<r.", "L<w>"},
		{"lpqpq<.", "lpqpq<.wwlpqpq<.", "<w>"},
		{"lpq<lpq<.", "lpq<lpq<.", ""}, /* gradients are accumulated */
		{"lpqpq<.", "llpqpq<.", ""},    /* a batch that is left out */
		{"lpqpq<.", "Llpqpq<.", ""},    /* drawn, nothing done with it */
		{"lpqpq<.", "plpqpq<.", ""},    /* an epoch's figure */
		{"lpqpq<.", "Rlpqpq<.", ""},
		{"lpq<.mmmm", "lpq<.mmmmlpq<.mmmm", ""}, /* weights are averaged */
		{"lpq<.mmmm", "lpq<.mmmmLpqLpqlpq<.mmmm", "L"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct told told = told_of(cases[i].usual, cases[i].then);
		cr_expect(eq(str, told.places, (char *)cases[i].places), "%s", cases[i].then);
	}
}

Test(shape, phases_that_follow_each_other_are_told_apart)
{
	static const struct {
		const char *usual, *then, *places;
	} cases[] = {
		{USUAL, "ABCRABCRww" USUAL, "A<w>"},
		{USUAL, "wwABCRABCR" USUAL, "<w>A"},
		{USUAL, "wwABCRww" USUAL, "<w>A<w>"},
		{USUAL, "wwxww" USUAL, "<w><w>"},
		{USUAL, "wwxQ" USUAL,
			"<w><w>"}, /* what was done for the file, and is no forward pass */
		{USUAL, "Rww" USUAL, "<w>"},
		{USUAL, "wwABC<" USUAL, "<w>"}, /* then trained from other lines */
		/* the end of an epoch asks for a batch, and so does the next one */
		{"labc<.", "lLABCRLABCRwwlabc<.", "A<w>"},
		{"labc<.",
			"lLABCRwwlabc<.l"
			"LABCRwwlabc<.",
			"A<w>A<w>"},
		/* evaluated by the same lines */
		{USUAL, "abcRabcRww" USUAL, "a<w>a"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct told told = told_of(cases[i].usual, cases[i].then);
		cr_expect(eq(str, told.places, (char *)cases[i].places), "%s", cases[i].then);
	}
}

/* Until the call at which it is told all was the evaluation's. */
Test(shape, the_next_batch_is_of_the_next_step)
{
	struct shape *shape = calloc(1, sizeof(*shape));
	/* with an epoch's end among the steps that show what they are like */
	static const char learnt[] = "labc<.labc<.labc<.labc<.llabc<.labc<.";
	struct told told = {.phase = PHASE_NONE};
	cr_assert(shape != NULL);
	for (unsigned i = 0; i < 3; i++)
		for (const char *at = learnt; *at != '\0'; at++)
			see(shape, *at, &told);
	cr_assert(shape->known);
	for (const char *at = "lLabcRLabcR"; *at != '\0'; at++)
		see(shape, *at, &told);
	unsigned before = told.repeats;
	see(shape, 'l', &told);
	cr_expect(eq(u32, told.repeats, before + 1));
	for (const char *at = "abc<.labc<."; *at != '\0'; at++)
		see(shape, *at, &told);
	cr_expect(eq(u32, told.repeats, before + 1));
	free(shape);
}

Test(shape, a_second_loader_may_be_asked_within_a_step)
{
	struct told told = told_of("labLabc<.", "labLabc<.labLabc<.");
	cr_expect(eq(u32, told.aside, 0));
}

Test(shape, what_comes_back_has_an_end_when_something_else_follows)
{
	/* R was seen between steps before; Q never was */
	cr_expect(eq(u32, told_of(USUAL, "RR" USUAL "RRQ").passes, 1));
	cr_expect(eq(u32, told_of(USUAL, "RR" USUAL "RR").passes, 0));
	cr_expect(eq(u32, told_of(USUAL, "Q").passes, 0));
	cr_expect(eq(int, told_of(USUAL, "ABCR" USUAL "ABCRQ").phase, PHASE_EVALUATION));
}

Test(shape, a_program_without_usual_steps_is_left_alone)
{
	static const char round[] = "aRbRcRaRbRcR<.";
	char loop[4096] = "";
	for (unsigned i = 0; i < 100; i++)
		memcpy(loop + i * (sizeof(round) - 1), round, sizeof(round));
	struct told told = told_of(USUAL, loop);
	cr_expect(lt(u32, told.leaves, 300));
}

/* A rollout between some steps has as many interruptions as it likes. */
Test(shape, many_interruptions_in_few_steps_leave_usual_ones)
{
	char steps[64] = "", rollout[256] = "", loop[4096] = "";
	for (size_t used = 0; used < 48; used += 6)
		snprintf(steps + used, sizeof(steps) - used, "rabc<.");
	for (size_t used = 0; used < 120; used += 2)
		snprintf(rollout + used, sizeof(rollout) - used, "Rr");
	for (unsigned round = 0; round < 6; round++) {
		size_t used = strlen(loop);
		snprintf(loop + used, sizeof(loop) - used, "%s%s", steps, rollout);
	}
	size_t used = strlen(loop);
	snprintf(loop + used, sizeof(loop) - used, "rabc<.ABCRABCR");
	struct told told = told_of("rabc<.", loop);
	cr_expect(eq(u32, told.aside, 0), "%s", told.places);
	used = strlen(loop);
	snprintf(loop + used, sizeof(loop) - used, "rabc<.");
	told = told_of("rabc<.", loop);
	cr_expect(eq(u32, told.aside, 1), "%s", told.places);
}

/* Steps that end with a batch of the loader, as nothing else tells of them. */
Test(shape, what_is_only_a_forward_pass_between_two_batches)
{
	static const struct {
		const char *usual, *then;
		bool only;
	} cases[] = {
		{"abc<l.", "abcl", true}, {"abc<l.", "abc<l", false},
		{"abc<l.", "xl", false},  /* too little for a forward pass */
		{"abcl.", "abcl", false}, /* nothing is ever trained */
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct shape *shape = calloc(1, sizeof(*shape));
		struct told told = {.phase = PHASE_NONE};
		uint32_t place;
		cr_assert(shape != NULL);
		cr_expect(not(shape_is_forward_only(shape, &place)));
		for (unsigned step = 0; step <= SHAPE_LEARNT; step++)
			for (const char *at = cases[i].usual; *at != '\0'; at++)
				see(shape, *at, &told);
		for (const char *at = cases[i].then; *at != '\0'; at++)
			see(shape, *at, &told);
		cr_expect(eq(int, shape_is_forward_only(shape, &place), cases[i].only), "%s",
			cases[i].then);
		if (cases[i].only)
			cr_expect(eq(u32, place, 'a'));
		free(shape);
	}
}

Test(shape, what_is_closed_is_told_once)
{
	struct shape *shape = calloc(1, sizeof(*shape));
	struct told told = {.phase = PHASE_NONE};
	cr_assert(shape != NULL);
	cr_expect(eq(int, shape_close(shape).phase, PHASE_NONE));
	for (unsigned step = 0; step <= SHAPE_LEARNT; step++)
		for (const char *at = USUAL; *at != '\0'; at++)
			see(shape, *at, &told);
	see(shape, 'w', &told);
	struct shape_told closed = shape_close(shape);
	cr_expect(eq(int, closed.phase, PHASE_CHECKPOINT));
	cr_expect(eq(u32, closed.place, 'w'));
	cr_expect(eq(int, shape_close(shape).phase, PHASE_NONE));
	free(shape);
}

Test(shape, more_calls_than_are_kept)
{
	struct shape *shape = calloc(1, sizeof(*shape));
	struct shape_told told;
	for (uint64_t i = 1; i < 100000; i++) {
		struct shape_call call = {
			.token = i * 0x9e3779b97f4a7c15u | 1, .name = i, .kind = SHAPE_LAUNCH};
		(void)shape_call(shape, &call, &told);
		if (i % 100 == 0)
			shape_end(shape);
	}
	cr_expect(le(u32, shape->token_count, SHAPE_TOKENS));
	cr_expect(eq(int, shape_phase(shape).phase, PHASE_NONE));
	free(shape);
}

/* The last call of a step, and what follows it after so long. */
static enum shape_says follow(struct shape *shape, uint64_t token, uint64_t pause_ns)
{
	struct shape_call call = {.token = token + 1000, .pause_ns = pause_ns};
	struct shape_told told;
	return shape_call(shape, &call, &told);
}

Test(shape, what_usually_follows_a_call_is_of_the_step)
{
	struct shape *shape = calloc(1, sizeof(*shape));
	cr_assert(shape != NULL);
	for (unsigned i = 0; i <= SHAPE_LEARNT; i++) {
		(void)follow(shape, 'a', 600 + i % 2 * 20);
		(void)follow(shape, 'r', 5);
		shape_end(shape);
		(void)follow(shape, 'q', 40);
	}
	cr_assert(shape->known);
	/* a comes so long after q in usual steps */
	cr_expect(eq(int, follow(shape, 'X', 900), SHAPE_LEAVES));
	cr_expect(eq(u64, shape->usual_ns, 610));
	(void)follow(shape, 'a', 10);
	shape_end(shape);
	/* after a step's end q comes after 40: no more than has passed */
	cr_expect(eq(int, follow(shape, 'X', 30), SHAPE_LEAVES));
	cr_expect(eq(u64, shape->usual_ns, 30));
	free(shape);
}
