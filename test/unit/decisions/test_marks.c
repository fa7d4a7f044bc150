/* SPDX-License-Identifier: MIT */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/model/marks.h"
#include "collector/format/fields.h"

/*
 * A loop in letters: a and b are steps of two optimisers, l is a batch of a loader, [ and ] begin
 * and end a capture, i makes it executable, r launches it, x destroys it.
 */
static enum mark see(struct marks *marks, char what)
{
	struct record record = {.kind = RECORD_GRAPH};
	switch (what) {
	case 'l':
		marks_load(marks);
		return MARK_NONE;
	case '[':
		record.d = RECORD_CAPTURED | RECORD_CREATE;
		return marks_graph(marks, &record, 1);
	case ']':
		record.a = 100;
		record.d = RECORD_CAPTURED;
		return marks_graph(marks, &record, 1);
	case 'i':
		record.a = 100;
		record.b = 200;
		record.d = RECORD_INSTANTIATE;
		return marks_graph(marks, &record, 1);
	case 'r':
		record.b = 200;
		record.d = RECORD_LAUNCH_GRAPH;
		return marks_graph(marks, &record, 1);
	case 'x':
		record.b = 200;
		record.d = RECORD_DESTROY;
		return marks_graph(marks, &record, 1);
	default:
		record = (struct record){.kind = RECORD_OP, .name = 5, .place = 6};
		record_set_OP_object(&record, (uint64_t)what);
		return marks_optimizer(marks, &record, 1);
	}
}

/* Steps that end, and how many of them begin again. */
static unsigned steps_of(const char *loop, unsigned *ret_replays)
{
	struct marks marks = {0};
	unsigned steps = 0;
	*ret_replays = 0;
	for (const char *at = loop; *at != '\0'; at++)
		cr_expect(eq(int, (int)see(&marks, *at), MARK_NONE));
	marks_decide(&marks);
	for (const char *at = loop; *at != '\0'; at++) {
		enum mark mark = see(&marks, *at);
		steps += mark != MARK_NONE;
		*ret_replays += mark == MARK_REPLAY;
	}
	return steps;
}

Test(marks, steps_of_loops)
{
	static const struct {
		const char *loop;
		unsigned steps, replays;
	} cases[] = {
		{"aaaaaa", 6, 0},
		{"abababab", 4, 0},
		{"aaaaabaaaaabaaaaab", 15, 0},
		{"lalalala", 4, 0},
		{"labllablab", 3, 0},
		{"laalaalaa", 3, 0},        /* twice on each batch */
		{"llllaaaallllaaaa", 8, 0}, /* the loader is another phase's */
		{"aaa[a]irrrrr", 8, 1},     /* the model begins again with the fourth */
		{"aaa[a]irrxrr", 5, 1},
		{"aaa[]irrraaa", 6, 0}, /* a graph without a step */
		{"rrr", 0, 0},
		{"", 0, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned replays;
		unsigned steps = steps_of(cases[i].loop, &replays);
		cr_expect(eq(u32, steps, cases[i].steps), "%s", cases[i].loop);
		cr_expect(eq(u32, replays, cases[i].replays), "%s", cases[i].loop);
	}
}

Test(marks, a_call_that_failed_is_none)
{
	struct marks marks = {.told = true};
	(void)see(&marks, '[');
	(void)see(&marks, 'a');
	(void)see(&marks, ']');
	(void)see(&marks, 'i');
	struct record failed = {
		.kind = RECORD_GRAPH, .b = 200, .d = RECORD_LAUNCH_GRAPH, .result = 1};
	cr_expect(eq(int, (int)marks_graph(&marks, &failed, 1), MARK_NONE));
	cr_expect(eq(int, (int)see(&marks, 'r'), MARK_REPLAY));
}
