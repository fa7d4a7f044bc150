/* SPDX-License-Identifier: MIT */
/* Several threads' lines become one: whose time it is, and who never gets into it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

#include "analyzer/timeline/lines.h"

#define JOIN_NS 10u
#define MOST    8
#define L       PIECE_LAUNCH
#define W       PIECE_WAIT
#define S       PIECE_STALL
#define INPUT   PIECE_INPUT
#define HOST    PIECE_HOST
#define GIL     PIECE_GIL

struct given {
	enum piece_kind kind;
	uint64_t begin, end;
	unsigned yields; /* 2: it hands the data on; 3: by a lock of the program */
};

struct turns_case {
	const char *name;
	struct given owner[MOST], helper[MOST]; /* up to the first that ends at 0 */
	bool turns;
	struct given merged[MOST]; /* before 100 */
};

static const struct turns_case cases[] = {
	{"another's work is none of the owner's", {{L, 0, 10, 0}, {L, 60, 70, 0}}, {{L, 20, 40, 0}},
		false, {{L, 0, 10, 0}, {L, 60, 70, 0}}},
	{"unless it takes turns", {{L, 0, 10, 0}, {L, 60, 70, 0}}, {{L, 20, 40, 0}}, true,
		{{L, 0, 10, 0}, {L, 20, 40, 0}, {L, 60, 70, 0}}},
	{"or the owner waits for it", {{L, 0, 10, 0}, {S, 15, 60, 1}}, {{L, 20, 40, 0}}, false,
		{{L, 0, 10, 0}, {S, 15, 20, 1}, {L, 20, 40, 0}, {S, 40, 60, 1}}},
	{"not for anybody else", {{L, 0, 10, 0}, {S, 15, 60, 0}}, {{L, 20, 40, 0}}, false,
		{{L, 0, 10, 0}, {S, 15, 60, 0}}},
	{"a wait for who takes turns is not told", {{S, 15, 60, 1}},
		{{L, 20, 30, 0}, {L, 45, 50, 0}}, true, {{L, 20, 30, 0}, {L, 45, 50, 0}}},
	{"but one for a lock of the program is, whoever works meanwhile", {{S, 15, 60, 3}},
		{{L, 20, 30, 0}, {L, 45, 50, 0}}, true,
		{{S, 15, 20, 3}, {L, 20, 30, 0}, {S, 30, 45, 3}, {L, 45, 50, 0}, {S, 50, 60, 3}}},
	{"unless it did nothing", {{S, 15, 60, 1}}, {{L, 70, 80, 0}}, true,
		{{S, 15, 60, 1}, {L, 70, 80, 0}}},
	{"a pause of Python's is no turn", {{S, 15, 60, 1}}, {{GIL, 20, 25, 0}}, true,
		{{S, 15, 20, 1}, {GIL, 20, 25, 0}, {S, 25, 60, 1}}},
	{"but may be in one", {{S, 15, 60, 1}}, {{GIL, 20, 25, 0}, {L, 30, 40, 0}}, true,
		{{GIL, 20, 25, 0}, {L, 30, 40, 0}}},
	{"nor is the end of the turn before", {{S, 15, 60, 1}}, {{L, 10, 20, 0}}, true,
		{{L, 10, 15, 0}, {L, 15, 20, 0}, {S, 20, 60, 1}}},
	{"another's waits for data or others never are", {{L, 0, 10, 0}, {S, 15, 60, 1}},
		{{INPUT, 5, 30, 0}, {S, 35, 50, 1}}, false, {{L, 0, 10, 0}, {S, 15, 60, 1}}},
	{"neither if it takes turns", {{L, 0, 10, 0}}, {{INPUT, 15, 30, 0}, {S, 35, 50, 1}}, true,
		{{L, 0, 10, 0}}},
	{"but for data that it takes for the owner", {{L, 0, 10, 0}, {HOST, 15, 60, 1}},
		{{INPUT, 5, 30, 2}, {S, 35, 50, 1}}, false,
		{{L, 0, 10, 0}, {INPUT, 15, 30, 0}, {HOST, 30, 60, 1}}},
	{"which goes before its work", {{HOST, 0, 60, 1}}, {{INPUT, 5, 30, 2}, {HOST, 30, 50, 0}},
		false, {{HOST, 0, 5, 1}, {INPUT, 5, 30, 0}, {HOST, 30, 50, 0}, {HOST, 50, 60, 1}}},
	{"a wait for the device is work", {{S, 15, 60, 1}}, {{W, 20, 50, 0}}, false,
		{{S, 15, 20, 1}, {W, 20, 50, 0}, {S, 50, 60, 1}}},
	{"what the owner does goes first", {{L, 0, 50, 0}, {W, 60, 90, 0}},
		{{L, 40, 70, 0}, {L, 85, 99, 0}}, true,
		{{L, 0, 50, 0}, {L, 50, 60, 0}, {W, 60, 90, 0}, {L, 90, 99, 0}}},
};

static void lay(struct line *line, const struct given *given)
{
	for (unsigned i = 0; i < MOST && given[i].end > 0; i++) {
		cr_assert(host_add(&line->host, given[i].kind, given[i].begin, given[i].end, 0,
				  0) == 0);
		struct host *host = &line->host;
		host_last(host)->yields = given[i].yields == 3   ? YIELDS_LOCK
					  : given[i].yields == 1 ? YIELDS_TURN
								 : YIELDS_NOT;
		host_last(host)->hands = given[i].yields == 2;
	}
}

Test(turns, whose_time_it_is)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lines *lines = malloc(sizeof(*lines));
		struct line *owner = NULL, *helper = NULL;
		cr_assert(lines != NULL);
		lines_init(lines, JOIN_NS);
		cr_assert(lines_take(lines, &owner, 0) != NULL);
		cr_assert(lines_take(lines, &helper, 0) != NULL);
		lines_step(lines, owner);
		helper->turns = cases[i].turns;
		lines->hands = true;
		lay(owner, cases[i].owner);
		lay(helper, cases[i].helper);
		const struct host *merged = lines_until(lines, 100);
		for (unsigned j = 0; j < MOST; j++) {
			const struct given *wanted = &cases[i].merged[j];
			cr_assert(eq(int, j<merged->pieces.count, wanted->end> 0), "%s: %u",
				cases[i].name, j);
			if (wanted->end == 0)
				break;
			const struct piece *piece = &merged->pieces.items[j];
			cr_expect(eq(u64, piece->begin, wanted->begin), "%s: %u", cases[i].name, j);
			cr_expect(eq(u64, piece->end, wanted->end), "%s: %u", cases[i].name, j);
			cr_expect(eq(int, (int)piece->kind, (int)wanted->kind), "%s: %u",
				cases[i].name, j);
		}
		lines_release(lines);
		free(lines);
	}
}

/* The thread of the first step is the owner; another one has to speak as often to become it. */
Test(turns, who_steps)
{
	struct lines *lines = malloc(sizeof(*lines));
	struct line *first = NULL, *second = NULL;
	cr_assert(lines != NULL);
	lines_init(lines, JOIN_NS);
	cr_assert(lines_take(lines, &first, 0) != NULL && lines_take(lines, &second, 0) != NULL);
	cr_expect(lines_is_aside(lines, second) == false, "nobody steps yet");
	for (unsigned i = 0; i < 3; i++)
		lines_step(lines, first);
	cr_expect(lines_is_aside(lines, second));
	cr_expect(lines_is_aside(lines, first) == false);
	second->turns = true;
	cr_expect(lines_is_aside(lines, second) == false);
	for (unsigned i = 0; i < 3; i++) {
		lines_step(lines, second);
		cr_expect(lines->owner == first);
	}
	lines_step(lines, second);
	cr_expect(lines->owner == second);
	cr_expect(lines_is_aside(lines, first));
	first->last_ns = 50;
	second->last_ns = 70;
	cr_expect(lines_is_told(lines, 70));
	cr_expect(lines_is_told(lines, 71) == false);
	lines_release(lines);
	free(lines);
}

/* More threads than there are lines: the most silent one gives way when all of its time is told. */
Test(turns, who_is_silent_gives_way)
{
	struct lines *lines = malloc(sizeof(*lines));
	struct line *held[LINES_LIMIT + 1] = {NULL};
	cr_assert(lines != NULL);
	lines_init(lines, JOIN_NS);
	for (unsigned i = 0; i < LINES_LIMIT; i++) {
		cr_assert(lines_take(lines, &held[i], 0) != NULL);
		held[i]->last_ns = 1000 - i;
		cr_assert(host_add(&held[i]->host, PIECE_LAUNCH, 0, i == 5 ? 10 : 90, 0, 0) == 0);
	}
	cr_expect(lines_take(lines, &held[LINES_LIMIT], 0) == NULL);
	lines_drop(lines, 20);
	cr_expect(eq(sz, lines_pieces(lines), LINES_LIMIT - 1));
	cr_assert(lines_take(lines, &held[LINES_LIMIT], 20) != NULL);
	cr_expect(held[5] == NULL && held[LINES_LIMIT] == &lines->items[5]);
	cr_expect(eq(u64, held[LINES_LIMIT]->host.floor_ns, 20));
	lines_release(lines);
	free(lines);
}
