/* SPDX-License-Identifier: MIT */
/*
 * By which rule an operation of the device finds its call, and which calls are refused. Each
 * case is a list of what comes in what order; the times of a call of ours are 1000 to 2000
 * unless said.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "analyzer/device/join.h"
#include "analyzer/device/source.h"

#define START     1000000000ull
#define MOST      8
#define NONE      JOIN_NO_CALL
#define TID       7u
#define OTHER_TID 8u

enum side {
	END, /* of the list */
	CALL,
	API,
	WORK,
	UNTIMED, /* work whose times were lost */
	FORGET   /* calls below id */
};

struct event {
	enum side side;
	uint32_t tid;
	uint32_t id; /* of a call its number, else the correlation */
	uint64_t begin, end;
};

struct join_case {
	const char *name;
	struct event events[MOST];
	uint64_t calls[3]; /* of each operation */
	unsigned count;
	struct join_counts counts;
};

struct told {
	uint64_t calls[MOST];
	unsigned count;
};

static int tell(void *context, uint64_t call, const struct record *operation)
{
	struct told *told = context;
	(void)operation;
	told->calls[told->count++] = call;
	return 0;
}

static void claim(void *context, uint64_t call, uint32_t count, uint64_t begin_ns, uint64_t end_ns)
{
	(void)context;
	(void)call;
	(void)count;
	(void)begin_ns;
	(void)end_ns;
	cr_assert(false, "nothing is given up early here");
}

static void happen(struct join *join, const struct event *event)
{
	struct record record = {
		.kind = event->side == API ? RECORD_DEVICE_API : RECORD_DEVICE_KERNEL,
		.begin = START + event->begin,
		.end = START + event->end,
		.place = event->id};
	if (event->side == API)
		record.a = event->tid;
	if (event->side == UNTIMED)
		record.result = DEVICE_NO_TIMES << 16;
	if (event->side == FORGET)
		join_forget(join, event->id);
	else if (event->side == CALL)
		cr_assert(join_call(join, event->tid, event->id, record.begin, record.end) == 0);
	else
		cr_assert(join_record(join, &record) == 0);
}

static void check(const struct join_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct join_case *one = &cases[i];
		struct told told = {0};
		struct join *join = join_new(
			&(struct join_sink){.context = &told, .operation = tell, .claimed = claim});
		cr_assert(join != NULL);
		for (unsigned j = 0; j < MOST && one->events[j].side != END; j++)
			happen(join, &one->events[j]);
		cr_assert(join_finish(join) == 0);
		cr_expect(eq(u32, told.count, one->count), "%s", one->name);
		for (unsigned j = 0; j < told.count && j < one->count; j++)
			cr_expect(eq(u64, told.calls[j], one->calls[j]), "%s: operation %u",
				one->name, j);
		cr_expect(eq(u64, join->counts.operations, one->count), "%s", one->name);
		cr_expect(eq(u64, join->counts.matched, one->counts.matched), "%s", one->name);
		cr_expect(eq(u64, join->counts.untimed, one->counts.untimed), "%s", one->name);
		cr_expect(eq(u64, join->counts.apis, one->counts.apis), "%s", one->name);
		cr_expect(eq(u64, join->counts.crowded, one->counts.crowded), "%s", one->name);
		join_free(join);
	}
}

#define CHECK(cases) check(cases, sizeof(cases) / sizeof((cases)[0]))
#define A_CALL(which)                                                                              \
	{                                                                                          \
		CALL, TID, which, 1000, 2000                                                       \
	}
#define AN_OPERATION                                                                               \
	{                                                                                          \
		WORK, 0, 50, 3000, 3100                                                            \
	}

Test(join_rules, the_record_of_the_interface_lies_within_the_call_or_around_it)
{
	static const struct join_case cases[] = {
		{"within", {A_CALL(3), {API, TID, 50, 1100, 1900}, AN_OPERATION}, {3}, 1,
			{.matched = 1, .apis = 1}},
		{"the same time", {A_CALL(3), {API, TID, 50, 1000, 2000}, AN_OPERATION}, {3}, 1,
			{.matched = 1, .apis = 1}},
		{"around", {A_CALL(3), {API, TID, 50, 900, 2100}, AN_OPERATION}, {3}, 1,
			{.matched = 1, .apis = 1}},
		{"within, the call last", {{API, TID, 50, 1100, 1900}, AN_OPERATION, A_CALL(3)},
			{3}, 1, {.matched = 1, .apis = 1}},
		{"around, the call last", {{API, TID, 50, 900, 2100}, AN_OPERATION, A_CALL(3)}, {3},
			1, {.matched = 1, .apis = 1}},
	};
	CHECK(cases);
}

Test(join_rules, other_calls_are_refused)
{
	static const struct join_case cases[] = {
		{"it lies before", {A_CALL(3), {API, TID, 50, 800, 900}, AN_OPERATION}, {NONE}, 1,
			{.apis = 1}},
		{"it lies behind", {A_CALL(3), {API, TID, 50, 2100, 2200}, AN_OPERATION}, {NONE}, 1,
			{.apis = 1}},
		{"another thread's", {A_CALL(3), {API, OTHER_TID, 50, 1100, 1900}, AN_OPERATION},
			{NONE}, 1, {.apis = 1}},
		{"another correlation", {A_CALL(3), {API, TID, 51, 1100, 1900}, AN_OPERATION},
			{NONE}, 1, {.apis = 1}},
		{"correlation 0 is nobody's",
			{A_CALL(3), {API, TID, 50, 1100, 1900}, {WORK, 0, 0, 3000, 3100}}, {NONE},
			1, {.matched = 0, .apis = 1}},
		{"no record of the interface", {A_CALL(3), AN_OPERATION}, {NONE}, 1,
			{.matched = 0}},
		{"no call at all", {{API, TID, 50, 1100, 1900}, AN_OPERATION}, {NONE}, 1,
			{.apis = 1}},
		{"the owner has forgotten it",
			{A_CALL(3), {FORGET, 0, 4, 0, 0}, {CALL, TID, 4, 5000, 6000},
				{API, TID, 50, 1100, 1900}, AN_OPERATION},
			{NONE}, 1, {.apis = 1}},
		{"the owner has forgotten those before it",
			{A_CALL(3), {FORGET, 0, 3, 0, 0}, {CALL, TID, 4, 5000, 6000},
				{API, TID, 50, 1100, 1900}, AN_OPERATION},
			{3}, 1, {.matched = 1, .apis = 1}},
	};
	CHECK(cases);
}

/* Calls and records of one thread are nested; what is not is an error of the clocks. */
Test(join_rules, a_record_may_stick_out_by_less_than_half_of_the_shorter)
{
	static const struct join_case cases[] = {
		{"it begins earlier", {A_CALL(3), {API, TID, 50, 998, 1990}, AN_OPERATION}, {3}, 1,
			{.matched = 1, .apis = 1}},
		{"it ends later", {A_CALL(3), {API, TID, 50, 1001, 2002}, AN_OPERATION}, {3}, 1,
			{.matched = 1, .apis = 1}},
		{"it begins earlier, the call last",
			{{API, TID, 50, 998, 1990}, AN_OPERATION, A_CALL(3)}, {3}, 1,
			{.matched = 1, .apis = 1}},
		{"it ends later, the call last",
			{{API, TID, 50, 1001, 2002}, AN_OPERATION, A_CALL(3)}, {3}, 1,
			{.matched = 1, .apis = 1}},
		{"by less than half", {A_CALL(3), {API, TID, 50, 951, 1051}, AN_OPERATION}, {3}, 1,
			{.matched = 1, .apis = 1}},
		{"by half", {A_CALL(3), {API, TID, 50, 950, 1050}, AN_OPERATION}, {NONE}, 1,
			{.apis = 1}},
		{"by half of a call that is shorter",
			{A_CALL(3), {API, TID, 50, 1500, 9000}, AN_OPERATION}, {NONE}, 1,
			{.apis = 1}},
		{"by less than half of a call that is shorter",
			{A_CALL(3), {API, TID, 50, 1499, 9000}, AN_OPERATION}, {3}, 1,
			{.matched = 1, .apis = 1}},
		{"by a millisecond",
			{{CALL, TID, 3, 2000000, 9000000}, {API, TID, 50, 1000000, 8000000},
				{WORK, 0, 50, 9000000, 9100000}},
			{3}, 1, {.matched = 1, .apis = 1}},
		{"by more",
			{{CALL, TID, 3, 2000000, 9000000}, {API, TID, 50, 999999, 7999999},
				{WORK, 0, 50, 9000000, 9100000}},
			{NONE}, 1, {.apis = 1}},
	};
	CHECK(cases);
}

Test(join_rules, of_two_calls_a_record_is_that_ones_which_holds_most_of_it)
{
	static const struct join_case cases[] = {
		{"the second",
			{A_CALL(3), {CALL, TID, 4, 2010, 3000}, {API, TID, 50, 1990, 2900},
				AN_OPERATION},
			{4}, 1, {.matched = 1, .apis = 1}},
		{"the second, the calls last",
			{{API, TID, 50, 1990, 2900}, AN_OPERATION, A_CALL(3),
				{CALL, TID, 4, 2010, 3000}},
			{4}, 1, {.matched = 1, .apis = 1}},
		{"the first",
			{A_CALL(3), {CALL, TID, 4, 2010, 3000}, {API, TID, 50, 1100, 2020},
				AN_OPERATION},
			{3}, 1, {.matched = 1, .apis = 1}},
		{"the first, the calls last",
			{{API, TID, 50, 1100, 2020}, AN_OPERATION, A_CALL(3),
				{CALL, TID, 4, 2010, 3000}},
			{3}, 1, {.matched = 1, .apis = 1}},
		{"neither, the calls last",
			{{API, TID, 50, 1990, 2200}, AN_OPERATION, A_CALL(3),
				{CALL, TID, 4, 2190, 3000}},
			{NONE}, 1, {.apis = 1}},
	};
	CHECK(cases);
}

Test(join_rules, calls_within_calls)
{
	static const struct join_case cases[] = {
		/* a record around two calls: the first one that is still free */
		{"two within one, the first",
			{{CALL, TID, 1, 1000, 1100}, {CALL, TID, 2, 1200, 1300},
				{API, TID, 50, 900, 1400}, AN_OPERATION},
			{1}, 1, {.matched = 1, .apis = 1}},
		{"two within two of the same length",
			{{CALL, TID, 1, 1000, 1100}, {CALL, TID, 2, 1200, 1300},
				{API, TID, 50, 1000, 1100}, {API, TID, 51, 900, 1400}, AN_OPERATION,
				{WORK, 0, 51, 3200, 3300}},
			{1, 2}, 2, {.matched = 2, .apis = 2}},
		/* within a call there may be more than one */
		{"two of one call",
			{A_CALL(3), {API, TID, 50, 1100, 1400}, {API, TID, 51, 1500, 1900},
				AN_OPERATION, {WORK, 0, 51, 3200, 3300}},
			{3, 3}, 2, {.matched = 2, .apis = 2}},
		{"the second of one id is the same call",
			{{API, TID, 50, 1200, 1800}, A_CALL(3), {API, TID, 50, 1100, 1900},
				AN_OPERATION},
			{3}, 1, {.matched = 1, .apis = 1}},
		{"the second of an id of nobody may find it",
			{A_CALL(3), {CALL, TID, 4, 5000, 6000}, {API, TID, 50, 2100, 2900},
				{API, TID, 50, 1900, 6500}, {WORK, 0, 50, 7000, 7100}},
			{4}, 1, {.matched = 1, .apis = 2}},
	};
	CHECK(cases);
}

/* The device's clock is fitted: a millisecond before the call is no wonder, more is another id. */
Test(join_rules, an_operation_may_seem_to_begin_before_its_call)
{
	static const struct join_case cases[] = {
		{"a millisecond",
			{{CALL, TID, 3, 2001000, 2002000}, {API, TID, 50, 2001100, 2001900},
				{WORK, 0, 50, 1001100, 2001500}},
			{3}, 1, {.matched = 1, .apis = 1}},
		{"a nanosecond more",
			{{CALL, TID, 3, 2001000, 2002000}, {API, TID, 50, 2001100, 2001900},
				{WORK, 0, 50, 1001099, 2001500}},
			{NONE}, 1, {.apis = 1}},
		{"without times nobody knows",
			{{CALL, TID, 3, 2001000, 2002000}, {API, TID, 50, 2001100, 2001900},
				{UNTIMED, 0, 50, 0, 0}},
			{3}, 1, {.matched = 1, .untimed = 1, .apis = 1}},
	};
	CHECK(cases);
}

Test(join_rules, an_id_that_comes_again_is_another_call)
{
	static const struct join_case cases[] = {
		{"for another call",
			{A_CALL(3), {API, TID, 50, 1100, 1900}, AN_OPERATION,
				{CALL, TID, 4, 5000, 6000}, {API, TID, 50, 5100, 5900},
				{WORK, 0, 50, 7000, 7100}},
			{3, 4}, 2, {.matched = 2, .apis = 2}},
		{"in another thread at the same time",
			{A_CALL(3), {CALL, OTHER_TID, 4, 1000, 2000}, {API, TID, 50, 1100, 1900},
				AN_OPERATION, {API, OTHER_TID, 50, 1100, 1900},
				{WORK, 0, 50, 3200, 3300}},
			{3, 4}, 2, {.matched = 2, .apis = 2}},
		{"before the first found its call",
			{{API, TID, 50, 1100, 1900}, AN_OPERATION, {API, TID, 50, 5100, 5900},
				{CALL, TID, 4, 5000, 6000}, {WORK, 0, 50, 7000, 7100}},
			{NONE, 4}, 2, {.matched = 1, .apis = 2}},
	};
	CHECK(cases);
}

Test(join_rules, states_beyond_the_limit_are_told_by_the_last)
{
	static struct source source;
	for (uint64_t i = 0; i < SOURCE_LIMIT; i++)
		source_set(&source, 10 * i, SOURCE_YIELDED);
	cr_expect(not(source_is_active(&source, 10 * SOURCE_LIMIT)));
	source_set(&source, 10 * SOURCE_LIMIT, SOURCE_ACTIVE);
	cr_expect(source_is_active(&source, 10 * SOURCE_LIMIT));
	cr_expect(not(source_is_active(&source, 10 * SOURCE_LIMIT - 21)));
	cr_expect(eq(u64, source_state_ns(&source, SOURCE_YIELDED, 0, 10 * SOURCE_LIMIT),
		10 * (SOURCE_LIMIT - 1)));
	cr_expect(eq(u64, source_state_ns(&source, SOURCE_YIELDED, 15, 15), 0));
	cr_expect(eq(u64, source_state_ns(&source, SOURCE_YIELDED, 15, 14), 0));
}

struct claimed {
	uint64_t count, begin_ns, end_ns;
};

static int tell_nobody(void *context, uint64_t call, const struct record *operation)
{
	(void)context;
	(void)call;
	(void)operation;
	return 0;
}

static void note_claim(
	void *context, uint64_t call, uint32_t count, uint64_t begin_ns, uint64_t end_ns)
{
	(void)call;
	*(struct claimed *)context = (struct claimed){count, begin_ns, end_ns};
}

/* Of what was given up before the call was known only those with times say how long it took. */
Test(join_rules, operations_without_times_do_not_lengthen_what_is_claimed)
{
	struct claimed claimed = {0};
	struct join *join = join_new(&(struct join_sink){
		.context = &claimed, .operation = tell_nobody, .claimed = note_claim});
	cr_assert(join != NULL);
	happen(join, &(struct event){API, TID, 50, 1100, 1900});
	happen(join, &(struct event){WORK, 0, 50, 3000, 3100});
	happen(join, &(struct event){UNTIMED, 0, 50, 5, 900000});
	for (unsigned i = 2; i <= JOIN_WAITING; i++)
		happen(join, &(struct event){WORK, 0, 50, 3100, 3200});
	happen(join, &(struct event)A_CALL(3));
	cr_expect(eq(u64, claimed.count, JOIN_WAITING));
	cr_expect(eq(u64, claimed.begin_ns, START + 3000));
	cr_expect(eq(u64, claimed.end_ns, START + 3200));
	cr_expect(eq(u64, join->counts.crowded, 1));
	cr_expect(eq(u64, join->counts.matched, JOIN_WAITING + 1));
	join_free(join);
}
