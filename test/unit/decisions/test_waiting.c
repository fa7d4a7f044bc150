/* SPDX-License-Identifier: MIT */
/*
 * Which calls wait for the device, and what a wait tells: one call in a loop that is long
 * enough for its line to be known, and what the model makes of it.
 */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 12
#define LINE  9u

enum holds {
	NOTHING, /* not counted as anything */
	LAUNCHES,
	WAITS,
	COPIES
};

struct call_case {
	const char *name;
	struct record record;
	uint64_t us;
	enum holds holds;
	enum spot_kind spot; /* SPOT_KIND_COUNT: the call makes no spot of that sort */
};

#define NO_SPOT SPOT_KIND_COUNT

static uint64_t ends(enum copy_direction direction, enum memory_kind from, enum memory_kind to)
{
	return (uint64_t)direction | (uint64_t)from << 8 | (uint64_t)to << 16;
}

static const struct spot *spot_at_line(const struct model *model)
{
	for (uint32_t i = 1; i < model->spots->count; i++)
		if (model->spots->items[i].line == 10 * LINE &&
			model->spots->items[i].kind <= SPOT_COPY_FREE)
			return &model->spots->items[i];
	return NULL;
}

/* Per step: a launch of 10 us, the call, 100 us of nothing, the mark of the step. */
static void check(const struct call_case *one, uint64_t b)
{
	static const enum piece_kind pieces[] = {
		[LAUNCHES] = PIECE_LAUNCH, [WAITS] = PIECE_WAIT, [COPIES] = PIECE_COPY};
	struct builder builder = builder_new();
	for (unsigned i = 0; i < STEPS; i++) {
		struct record record = one->record;
		record.place = LINE;
		record.b = b;
		uint64_t begin = builder.now_ns;
		builder_launch(&builder, 10, NAME_KERNEL, 1);
		builder_pause(&builder, 60); /* the call is a piece of its own */
		call(&builder, one->us, record);
		builder_pause(&builder, 100);
		builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	const struct report *report = builder_finish(&builder);
	cr_assert(eq(u64, report->steps.steady, STEPS - 1), "%s", one->name);
	/* the step's operator covers the rest as launching */
	for (unsigned kind = PIECE_WAIT; kind < PIECE_KIND_COUNT; kind++) {
		bool its = one->holds != NOTHING && pieces[one->holds] == kind;
		cr_expect(eq(u64, report->swept[SWEEP_PIECES + kind],
				  its ? (STEPS - 1) * one->us * US : 0),
			"%s: piece %u", one->name, kind);
	}
	const struct spot *spot = spot_at_line(builder.model);
	if (one->spot == NO_SPOT)
		cr_expect(spot == NULL, "%s", one->name);
	else
		cr_expect(spot != NULL && spot->kind == one->spot, "%s: %d", one->name,
			spot != NULL ? (int)spot->kind : -1);
	builder_free(&builder);
}

Test(waiting, copies)
{
	static const struct {
		struct call_case call;
		enum copy_direction direction;
		enum memory_kind from, to;
	} cases[] = {
#define COPY(text, us, flags, holds, spot)                                                         \
	{(text), {.kind = RECORD_COPY, .call = 3, .a = 4096, .d = (flags)}, us, holds, spot}
		{COPY("to pageable memory", 50, 0, WAITS, SPOT_WAIT), COPY_DEVICE_TO_HOST,
			MEMORY_DEVICE, MEMORY_PAGEABLE},
		{COPY("to pageable memory, asynchronous", 50, RECORD_ASYNC, WAITS, SPOT_WAIT),
			COPY_DEVICE_TO_HOST, MEMORY_DEVICE, MEMORY_PAGEABLE},
		{COPY("to pinned memory", 50, 0, WAITS, SPOT_WAIT), COPY_DEVICE_TO_HOST,
			MEMORY_DEVICE, MEMORY_PINNED},
		{COPY("to pinned memory, asynchronous", 50, RECORD_ASYNC, LAUNCHES, SPOT_COPY_FREE),
			COPY_DEVICE_TO_HOST, MEMORY_DEVICE, MEMORY_PINNED},
		{COPY("from pageable memory", 50, 0, WAITS, SPOT_COPY_IN), COPY_HOST_TO_DEVICE,
			MEMORY_PAGEABLE, MEMORY_DEVICE},
		{COPY("from pageable memory, asynchronous", 50, RECORD_ASYNC, COPIES, SPOT_COPY_IN),
			COPY_HOST_TO_DEVICE, MEMORY_PAGEABLE, MEMORY_DEVICE},
		{COPY("the same, 10 us", 10, RECORD_ASYNC, COPIES, SPOT_COPY_IN),
			COPY_HOST_TO_DEVICE, MEMORY_PAGEABLE, MEMORY_DEVICE},
		{COPY("the same, 9 us: nobody's trouble", 9, RECORD_ASYNC, LAUNCHES, SPOT_COPY_IN),
			COPY_HOST_TO_DEVICE, MEMORY_PAGEABLE, MEMORY_DEVICE},
		{COPY("from pinned memory", 50, 0, WAITS, SPOT_COPY_IN), COPY_HOST_TO_DEVICE,
			MEMORY_PINNED, MEMORY_DEVICE},
		{COPY("from pinned memory, asynchronous", 50, RECORD_ASYNC, LAUNCHES,
			 SPOT_COPY_FREE),
			COPY_HOST_TO_DEVICE, MEMORY_PINNED, MEMORY_DEVICE},
		{COPY("within the device", 50, 0, LAUNCHES, NO_SPOT), COPY_DEVICE_TO_DEVICE,
			MEMORY_DEVICE, MEMORY_DEVICE},
		{COPY("to another device", 50, RECORD_ASYNC, LAUNCHES, SPOT_COPY_FREE), COPY_PEER,
			MEMORY_DEVICE, MEMORY_DEVICE},
		{COPY("within the host", 50, 0, LAUNCHES, NO_SPOT), COPY_HOST_TO_HOST,
			MEMORY_PAGEABLE, MEMORY_PAGEABLE},
		/* the direction is left to the driver: memory tells */
		{COPY("left open, to pageable memory", 50, RECORD_ASYNC, WAITS, SPOT_WAIT),
			COPY_DEFAULT, MEMORY_DEVICE, MEMORY_PAGEABLE},
		{COPY("left open, from pageable memory", 50, RECORD_ASYNC, COPIES, SPOT_COPY_IN),
			COPY_DEFAULT, MEMORY_PAGEABLE, MEMORY_DEVICE},
		{COPY("left open, within the device", 50, 0, LAUNCHES, NO_SPOT), COPY_DEFAULT,
			MEMORY_DEVICE, MEMORY_DEVICE},
		{COPY("left open, nothing known", 50, 0, LAUNCHES, NO_SPOT), COPY_DEFAULT,
			MEMORY_UNKNOWN, MEMORY_UNKNOWN},
		{COPY("captured into a graph", 50, RECORD_CAPTURED, LAUNCHES, NO_SPOT),
			COPY_DEVICE_TO_HOST, MEMORY_DEVICE, MEMORY_PAGEABLE},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i].call, ends(cases[i].direction, cases[i].from, cases[i].to));
}

Test(waiting, what_failed_did_not_wait)
{
	const struct call_case copy = {"copy",
		{.kind = RECORD_COPY, .call = 3, .a = 4096, .result = 1}, 50, LAUNCHES, NO_SPOT};
	const struct call_case sync = {
		"sync", {.kind = RECORD_SYNC, .call = 2, .result = 700}, 50, LAUNCHES, NO_SPOT};
	check(&copy, ends(COPY_DEVICE_TO_HOST, MEMORY_DEVICE, MEMORY_PAGEABLE));
	check(&sync, SYNC_STREAM);
}

Test(waiting, syncs)
{
	static const struct {
		struct call_case call;
		enum sync_scope scope;
	} cases[] = {
#define SYNC(text, flags, holds, spot)                                                             \
	{(text), {.kind = RECORD_SYNC, .call = 2, .d = (flags)}, 50, holds, spot}
		{SYNC("stream", 0, WAITS, SPOT_WAIT), SYNC_STREAM},
		{SYNC("device", 0, WAITS, SPOT_WAIT), SYNC_DEVICE},
		{SYNC("event", 0, WAITS, SPOT_WAIT), SYNC_EVENT},
		{SYNC("a question", RECORD_QUERY, LAUNCHES, NO_SPOT), SYNC_STREAM},
		{SYNC("captured", RECORD_CAPTURED, LAUNCHES, NO_SPOT), SYNC_STREAM},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i].call, (uint64_t)cases[i].scope);
}

Test(waiting, what_does_not_ask_the_device)
{
	static const struct call_case cases[] = {
		{"an event is recorded", {.kind = RECORD_EVENT, .call = 6, .a = 5}, 50, LAUNCHES,
			NO_SPOT},
		{"a set", {.kind = RECORD_SET, .call = 7, .a = 64}, 50, LAUNCHES, NO_SPOT},
		{"any call", {.kind = RECORD_CALL, .call = 8}, 50, LAUNCHES, NO_SPOT},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], 0);
}

/*
 * A wait is one for nothing when it takes no longer than twice the shortest of all (5 us until a
 * shorter one is seen) and 2 us.
 */
Test(waiting, a_wait_as_long_as_the_shortest_is_one_for_nothing)
{
	static const struct {
		const char *name;
		uint64_t first_us, us, waits, waited_us;
	} cases[] = {
		{"just 2 x 5 + 2", 6, 12, 0, 0},
		{"more", 6, 13, 1, 1},
		{"just 2 x 1 + 2", 1, 4, 0, 0},
		{"more than that", 1, 5, 1, 1},
		{"much more", 1, 104, 1, 100},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < 6; step++) {
			uint64_t begin = builder.now_ns;
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder_sync(&builder, step == 5 ? cases[i].us : cases[i].first_us, LINE);
			builder_pause(&builder, 100);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		const struct report *report = builder_finish(&builder);
		cr_expect(eq(u64, builder.model->waits, cases[i].waits), "%s", cases[i].name);
		/* only then the device was surely busy, for all of the wait */
		cr_expect(
			eq(u64, report->swept[SWEEP_CERTAIN_NS], cases[i].waits * cases[i].us * US),
			"%s", cases[i].name);
		cr_expect(eq(u64, builder.model->waited_ns, cases[i].waited_us * US), "%s",
			cases[i].name);
		/* those of the first step come before the first mark */
		cr_expect(eq(u64, builder.model->kept_up, 5 - cases[i].waits), "%s", cases[i].name);
		builder_free(&builder);
	}
}

/* Far behind the only launches a wait is a little longer than one for nothing: chance, no work. */
Test(waiting, a_late_wake_up_is_no_wait)
{
	static const struct {
		const char *name;
		uint64_t pause_us, us, waits, kept_up;
	} cases[] = {
		{"late", 5000, 15, 0, 1},
		{"not so long after", 2000, 15, 1, 0},
		{"longer than a thread takes to wake up", 100000, 33, 1, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < 2; step++) {
			uint64_t begin = builder.now_ns;
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder_launch(&builder, 10, NAME_KERNEL, 1);
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
		}
		builder_pause(&builder, cases[i].pause_us);
		builder_sync(&builder, cases[i].us, LINE);
		(void)builder_finish(&builder);
		cr_expect(eq(u64, builder.model->waits, cases[i].waits), "%s", cases[i].name);
		cr_expect(eq(u64, builder.model->kept_up, cases[i].kept_up), "%s", cases[i].name);
		builder_free(&builder);
	}
}

/* Work on a stream of its own goes on beyond a wait for another stream. */
Test(waiting, a_wait_for_a_stream_does_not_empty_the_others)
{
	static const struct {
		const char *name;
		uint64_t scope, stream;
		uint64_t empty_us; /* surely idle per step: until the next launch after the wait */
	} cases[] = {
		{"all", SYNC_DEVICE, 0, 290},
		{"its stream", SYNC_STREAM, 0x70, 290},
		{"another stream", SYNC_STREAM, 0x80, 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder = builder_new();
		for (unsigned step = 0; step < STEPS; step++) {
			uint64_t begin = builder.now_ns;
			builder_pause(&builder, 290);
			call(&builder, 10,
				(struct record){.kind = RECORD_LAUNCH,
					.call = 1,
					.name = NAME_KERNEL,
					.stream = 0x70});
			builder_op(&builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
			call(&builder, 100,
				(struct record){.kind = RECORD_SYNC,
					.call = 2,
					.place = LINE,
					.b = cases[i].scope,
					.stream = cases[i].stream});
		}
		const struct report *report = builder_finish(&builder);
		cr_expect(eq(u64, report->swept[SWEEP_EMPTY_NS] / report->steps.steady,
				  cases[i].empty_us * US),
			"%s", cases[i].name);
		builder_free(&builder);
	}
}
