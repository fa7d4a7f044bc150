/* SPDX-License-Identifier: MIT */
/* How calls become pieces of the host's time: what is one, what replaces what, what stays. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/timeline/host.h"

#define JOIN_NS 10u
#define MOST    6

struct given {
	enum piece_kind kind;
	uint64_t begin, end;
};

struct host_case {
	const char *name;
	struct given given[MOST]; /* up to the first that ends at 0 */
	uint64_t begin, end;      /* of an operator that ends after all of it; 0: none */
	struct given pieces[MOST];
};

#define LAUNCH PIECE_LAUNCH
#define WAIT   PIECE_WAIT
#define INPUT  PIECE_INPUT
#define HOST   PIECE_HOST
#define GC     PIECE_GC
#define GIL    PIECE_GIL

static const struct host_case cases[] = {
	{"a pause of join_ns joins", {{LAUNCH, 0, 10}, {LAUNCH, 20, 30}}, 0, 0, {{LAUNCH, 0, 30}}},
	{"a longer one does not", {{LAUNCH, 0, 10}, {LAUNCH, 21, 30}}, 0, 0,
		{{LAUNCH, 0, 10}, {LAUNCH, 21, 30}}},
	{"other kinds are never joined", {{WAIT, 0, 10}, {WAIT, 10, 30}}, 0, 0,
		{{WAIT, 0, 10}, {WAIT, 10, 30}}},
	{"a call without length is none", {{LAUNCH, 5, 5}}, 0, 0, {{LAUNCH, 0, 0}}},
	{"what overlaps is cut at the end of the first", {{WAIT, 0, 20}, {LAUNCH, 10, 30}}, 0, 0,
		{{WAIT, 0, 20}, {LAUNCH, 20, 30}}},
	{"input cuts what it begins in", {{LAUNCH, 0, 20}, {INPUT, 10, 30}}, 0, 0,
		{{LAUNCH, 0, 10}, {INPUT, 10, 30}}},
	{"input replaces what it contains", {{LAUNCH, 0, 5}, {WAIT, 20, 30}, {INPUT, 15, 40}}, 0, 0,
		{{LAUNCH, 0, 5}, {INPUT, 15, 40}}},
	{"a call around input replaces it", {{INPUT, 20, 30}, {LAUNCH, 10, 40}}, 0, 0,
		{{LAUNCH, 10, 40}}},
	{"a call around another call keeps it", {{WAIT, 20, 30}, {LAUNCH, 10, 40}}, 0, 0,
		{{WAIT, 20, 30}, {LAUNCH, 30, 40}}},
	{"a collection replaces what it contains",
		{{LAUNCH, 0, 5}, {INPUT, 20, 30}, {LAUNCH, 31, 35}, {GC, 15, 40}}, 0, 0,
		{{LAUNCH, 0, 5}, {GC, 15, 40}}},
	{"but for waits for the device",
		{{WAIT, 12, 15}, {LAUNCH, 16, 18}, {WAIT, 20, 25}, {GC, 10, 30}}, 0, 0,
		{{GC, 10, 12}, {WAIT, 12, 15}, {GC, 15, 20}, {WAIT, 20, 25}, {GC, 25, 30}}},
	{"which may be all of it", {{WAIT, 10, 30}, {GC, 10, 30}}, 0, 0, {{WAIT, 10, 30}}},
	{"a collection cuts what it begins in", {{LAUNCH, 0, 20}, {GC, 10, 30}}, 0, 0,
		{{LAUNCH, 0, 10}, {GC, 10, 30}}},
	{"a loader's range keeps pauses of Python's",
		{{GC, 5, 12}, {WAIT, 14, 18}, {GC, 20, 25}, {GIL, 25, 28}, {INPUT, 10, 30}}, 0, 0,
		{{GC, 5, 12}, {INPUT, 12, 20}, {GC, 20, 25}, {GIL, 25, 28}, {INPUT, 28, 30}}},
	{"a wait for Python's lock replaces everything", {{LAUNCH, 12, 14}, {GIL, 10, 30}}, 0, 0,
		{{GIL, 10, 30}}},
	{"an operator goes on around a collection", {{LAUNCH, 12, 14}, {GC, 20, 25}}, 10, 40,
		{{LAUNCH, 10, 20}, {GC, 20, 25}, {LAUNCH, 25, 40}}},
	{"an operator alone is launching", {{LAUNCH, 0, 0}}, 10, 40, {{LAUNCH, 10, 40}}},
	{"an operator fills what its calls leave", {{WAIT, 20, 30}}, 10, 40,
		{{LAUNCH, 10, 20}, {WAIT, 20, 30}, {LAUNCH, 30, 40}}},
	{"an operator lengthens a launch", {{LAUNCH, 20, 30}}, 10, 40, {{LAUNCH, 10, 40}}},
	{"an operator after a call begins with its end", {{WAIT, 0, 20}}, 10, 40,
		{{WAIT, 0, 20}, {LAUNCH, 20, 40}}},
};

Test(host, pieces)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct host host = {0};
		unsigned count = 0;
		host_init(&host, JOIN_NS, 0);
		for (unsigned j = 0; j < MOST && cases[i].given[j].end > 0; j++) {
			const struct given *given = &cases[i].given[j];
			cr_assert(eq(int,
				host_add(&host, given->kind, given->begin, given->end, 0, 0), 0));
		}
		if (cases[i].end > 0)
			cr_assert(eq(int,
				host_cover(&host, PIECE_LAUNCH, cases[i].begin, cases[i].end, 0, 0),
				0));
		for (; count < MOST && cases[i].pieces[count].end > 0; count++) {
			const struct given *wanted = &cases[i].pieces[count];
			cr_assert(lt(sz, count, host.pieces.count), "%s", cases[i].name);
			const struct piece *piece = &host.pieces.items[count];
			cr_expect(eq(u64, piece->begin, wanted->begin), "%s", cases[i].name);
			cr_expect(eq(u64, piece->end, wanted->end), "%s", cases[i].name);
			cr_expect(
				eq(int, (int)piece->kind, (int)wanted->kind), "%s", cases[i].name);
		}
		cr_expect(eq(sz, host.pieces.count, count), "%s", cases[i].name);
		host_release(&host);
	}
}

/* Code before a call becomes part of the launching; the lines are those of the calls in it. */
Test(host, a_piece_has_the_places_of_its_first_and_last_call)
{
	struct host host = {0};
	host_init(&host, JOIN_NS, 0);
	cr_assert(zero(int, host_add(&host, LAUNCH, 0, 5, 0, 0)));
	cr_assert(zero(int, host_add(&host, LAUNCH, 6, 9, 0, 3)));
	cr_assert(zero(int, host_add(&host, LAUNCH, 10, 12, 0, 4)));
	cr_assert(zero(int, host_add(&host, LAUNCH, 13, 14, 0, 0)));
	cr_assert(eq(sz, host.pieces.count, 1));
	cr_expect(eq(u32, host.pieces.items[0].first_place, 3));
	cr_expect(eq(u32, host.pieces.items[0].last_place, 4));
	host_release(&host);
}

/* Questions with pauses between them, and what blocked the host then, are one wait. */
Test(host, what_several_calls_are_part_of_is_one_piece)
{
	static const struct given given[] = {{LAUNCH, 0, 12}, {LAUNCH, 30, 32}, {INPUT, 40, 50}};
	struct host host = {0};
	host_init(&host, JOIN_NS, 0);
	for (unsigned i = 0; i < 3; i++)
		cr_assert(eq(int,
			host_add(&host, given[i].kind, given[i].begin, given[i].end, 0, 0), 0));
	cr_assert(eq(int, host_add_around(&host, WAIT, 12, 60, 7, 0), 0));
	cr_assert(eq(sz, host.pieces.count, 2));
	cr_expect(eq(u64, host.pieces.items[0].end, 12));
	cr_expect(eq(int, (int)host.pieces.items[1].kind, WAIT));
	cr_expect(eq(u64, host.pieces.items[1].begin, 12));
	cr_expect(eq(u64, host.pieces.items[1].end, 60));
	cr_expect(eq(u32, host.pieces.items[1].spot, 7));
	host_release(&host);
}

/* What was accounted for does not change: nothing begins before it, what reaches over is cut. */
Test(host, what_is_dropped_stays_so)
{
	struct host host = {0};
	host_init(&host, JOIN_NS, 5);
	cr_assert(host_add(&host, PIECE_LAUNCH, 0, 30, 0, 0) == 0);
	cr_expect(eq(u64, host.pieces.items[0].begin, 5));
	host_drop(&host, 20);
	cr_assert(eq(sz, host.pieces.count, 1));
	cr_expect(eq(u64, host.pieces.items[0].begin, 20));
	cr_assert(host_add(&host, PIECE_INPUT, 10, 40, 0, 0) == 0);
	cr_assert(eq(sz, host.pieces.count, 1));
	cr_expect(eq(u64, host.pieces.items[0].begin, 20));
	cr_expect(eq(u64, host.pieces.items[0].end, 40));
	cr_expect(eq(int, (int)host.pieces.items[0].kind, PIECE_INPUT));
	host_drop(&host, 40);
	cr_expect(eq(sz, host.pieces.count, 0));
	host_release(&host);
}

struct code_case {
	const char *name;
	struct given given[MOST]; /* CODE: a short operator that launches nothing */
	struct given pieces[MOST];
};

#define CODE PIECE_KIND_COUNT

static const struct code_case codes[] = {
	{"a few short ones belong to the launch after them",
		{{LAUNCH, 0, 10}, {CODE, 15, 30}, {CODE, 32, 40}, {LAUNCH, 50, 60}},
		{{LAUNCH, 0, 60}}},
	{"also without one", {{CODE, 15, 30}}, {{LAUNCH, 15, 30}}},
	{"not to one that is too far", {{LAUNCH, 0, 10}, {CODE, 15, 30}, {LAUNCH, 41, 60}},
		{{LAUNCH, 0, 30}, {LAUNCH, 41, 60}}},
	{"many in a row are work of their own",
		{{LAUNCH, 0, 10}, {CODE, 10, 30}, {CODE, 31, 51}, {LAUNCH, 52, 60}},
		{{LAUNCH, 0, 10}, {HOST, 10, 51}, {LAUNCH, 52, 60}}},
	{"just so many are not",
		{{LAUNCH, 0, 10}, {CODE, 10, 30}, {CODE, 31, 50}, {LAUNCH, 52, 60}},
		{{LAUNCH, 0, 60}}},
	{"a pause ends the row", {{CODE, 0, 30}, {CODE, 41, 70}},
		{{LAUNCH, 0, 30}, {LAUNCH, 41, 70}}},
	{"the outer one ends last", {{CODE, 20, 30}, {CODE, 5, 60}}, {{HOST, 5, 60}}},
	{"a wait is none", {{CODE, 0, 30}, {WAIT, 30, 50}}, {{LAUNCH, 0, 30}, {WAIT, 30, 50}}},
};

Test(host, short_operators_that_launch_nothing)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		struct host host = {0};
		unsigned count = 0;
		host_init(&host, JOIN_NS, 0);
		for (unsigned j = 0; j < MOST && codes[i].given[j].end > 0; j++) {
			const struct given *given = &codes[i].given[j];
			int err = given->kind == CODE ? host_code(&host, given->begin, given->end)
				  : host_extend(&host, given->begin, given->end, 0)
					  ? 0
					  : host_add(&host, given->kind, given->begin, given->end,
						    0, 0);
			cr_assert(eq(int, err, 0));
		}
		cr_assert(eq(int, host_settle(&host), 0));
		for (; count < MOST && codes[i].pieces[count].end > 0; count++) {
			const struct given *wanted = &codes[i].pieces[count];
			cr_assert(lt(sz, count, host.pieces.count), "%s", codes[i].name);
			const struct piece *piece = &host.pieces.items[count];
			cr_expect(eq(u64, piece->begin, wanted->begin), "%s", codes[i].name);
			cr_expect(eq(u64, piece->end, wanted->end), "%s", codes[i].name);
			cr_expect(
				eq(int, (int)piece->kind, (int)wanted->kind), "%s", codes[i].name);
		}
		cr_expect(eq(sz, host.pieces.count, count), "%s", codes[i].name);
		host_release(&host);
	}
}

/* An operator that launches nothing is one piece, with its own line, whatever was in it. */
Test(host, a_long_operator_that_launches_nothing)
{
	struct host host = {0};
	host_init(&host, JOIN_NS, 0);
	cr_assert(host_cover(&host, PIECE_HOST, 20, 60, 1, 1) == 0);
	cr_assert(host_code(&host, 61, 65) == 0);
	cr_assert(host_cover(&host, PIECE_HOST, 10, 100, 2, 2) == 0);
	cr_assert(eq(sz, host.pieces.count, 1));
	cr_expect(eq(u64, host.pieces.items[0].begin, 10));
	cr_expect(eq(u64, host.pieces.items[0].end, 100));
	cr_expect(eq(u32, host.pieces.items[0].spot, 2));
	cr_assert(host_add(&host, PIECE_STALL, 110, 120, 3, 3) == 0);
	cr_assert(host_cover(&host, PIECE_HOST, 105, 130, 4, 4) == 0);
	cr_assert(eq(sz, host.pieces.count, 4));
	cr_expect(eq(int, (int)host.pieces.items[2].kind, PIECE_STALL));
	cr_expect(eq(u32, host.pieces.items[1].spot, 4));
	cr_expect(eq(u32, host.pieces.items[3].spot, 4));
	host_release(&host);
}
