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
		host_init(&host, JOIN_NS);
		for (unsigned j = 0; j < MOST && cases[i].given[j].end > 0; j++) {
			const struct given *given = &cases[i].given[j];
			cr_assert(eq(
				int, host_add(&host, given->kind, given->begin, given->end, 0), 0));
		}
		if (cases[i].end > 0)
			cr_assert(eq(int, host_cover(&host, cases[i].begin, cases[i].end), 0));
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

/* Questions with pauses between them, and what blocked the host then, are one wait. */
Test(host, what_several_calls_are_part_of_is_one_piece)
{
	static const struct given given[] = {{LAUNCH, 0, 12}, {LAUNCH, 30, 32}, {INPUT, 40, 50}};
	struct host host = {0};
	host_init(&host, JOIN_NS);
	for (unsigned i = 0; i < 3; i++)
		cr_assert(eq(
			int, host_add(&host, given[i].kind, given[i].begin, given[i].end, 0), 0));
	cr_assert(eq(int, host_add_around(&host, WAIT, 12, 60, 7), 0));
	cr_assert(eq(sz, host.pieces.count, 2));
	cr_expect(eq(u64, host.pieces.items[0].end, 12));
	cr_expect(eq(int, (int)host.pieces.items[1].kind, WAIT));
	cr_expect(eq(u64, host.pieces.items[1].begin, 12));
	cr_expect(eq(u64, host.pieces.items[1].end, 60));
	cr_expect(eq(u32, host.pieces.items[1].spot, 7));
	host_release(&host);
}

/* What was closed does not change, and a piece over the end is split. */
Test(host, what_is_closed_stays)
{
	struct host host = {0};
	uint64_t until;
	host_init(&host, JOIN_NS);
	cr_assert(host_add(&host, PIECE_LAUNCH, 0, 30, 0) == 0);
	cr_assert(host_close(&host, 20, &until) == 0);
	cr_assert(eq(sz, host.pieces.count, 2));
	cr_assert(host_add(&host, PIECE_INPUT, 10, 40, 0) == 0);
	cr_assert(eq(sz, host.pieces.count, 2));
	cr_expect(eq(u64, host.pieces.items[0].end, 20));
	cr_expect(eq(u64, host.pieces.items[1].begin, 20));
	cr_expect(eq(int, (int)host.pieces.items[1].kind, PIECE_INPUT));
	cr_expect(eq(u64, host.pieces.items[1].end, 40));
	host_drop(&host, until);
	cr_assert(eq(sz, host.pieces.count, 1));
	cr_expect(eq(u64, host.pieces.items[0].begin, 20));
	host_release(&host);
}
