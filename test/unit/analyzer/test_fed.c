/* SPDX-License-Identifier: MIT */
/* Several waits before data goes to the device: which of them have brought it. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <stddef.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40
#define MOST  4

enum brings {
	NONE,
	DATA
};

/* A wait of 1 ms at a line; lapses: in every so many steps its limit of time is over. */
struct wait {
	uint32_t place;
	enum input_what what;
	uint32_t connection;
	unsigned lapses;
	enum brings brings;
};

struct waits {
	const char *name;
	struct wait items[MOST];
};

static void wait_for(struct builder *builder, const struct wait *wait, unsigned step)
{
	struct record record = {.kind = RECORD_INPUT, .call = 4, .place = wait->place, .a = 3};
	bool lapses = wait->lapses > 0 && step % wait->lapses == 0;
	record_set_INPUT_what(&record, wait->what);
	record_set_INPUT_medium(&record, wait->what == INPUT_LOCK ? MEDIUM_UNKNOWN : MEDIUM_SOCKET);
	record_set_INPUT_connection(&record, wait->connection);
	record.result = lapses ? ETIMEDOUT : 0;
	call(builder, 1000, record);
	builder_pause(builder, 20);
}

static const struct report *fed(struct builder *builder, const struct waits *waits)
{
	*builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder->now_ns;
		builder_launch(builder, 10, NAME_KERNEL, 1);
		builder_sync(builder, 100, 3);
		for (unsigned i = 0; i < MOST && waits->items[i].place > 0; i++)
			wait_for(builder, &waits->items[i], step);
		builder_copy(builder, 10, COPY_HOST_TO_DEVICE, 4096, MEMORY_PINNED, 5);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

Test(fed, the_wait_is_known_that_has_brought_the_data)
{
	static const struct waits cases[] = {
		{"the last one", {{4, INPUT_LOCK, 0, 0, NONE}, {6, INPUT_LOCK, 0, 0, DATA}}},
		{"the head of an answer, and its body",
			{{4, INPUT_READ, 7, 0, DATA}, {6, INPUT_READ, 7, 0, DATA}}},
		{"another connection", {{4, INPUT_READ, 7, 0, NONE}, {6, INPUT_READ, 8, 0, DATA}}},
		{"connections that are not known",
			{{4, INPUT_READ, 0, 0, NONE}, {6, INPUT_READ, 0, 0, DATA}}},
		{"readiness, and bytes of another connection between",
			{{4, INPUT_POLL, 7, 0, DATA}, {6, INPUT_READ, 8, 0, NONE},
				{7, INPUT_READ, 7, 0, DATA}}},
		{"more is waited for, and none comes",
			{{4, INPUT_LOCK, 0, 0, DATA}, {6, INPUT_LOCK, 0, 1, NONE}}},
		{"more is waited for, and seldom comes",
			{{4, INPUT_LOCK, 0, 0, DATA}, {6, INPUT_LOCK, 0, 2, NONE}}},
		{"more is waited for, and mostly comes",
			{{4, INPUT_LOCK, 0, 0, DATA}, {6, INPUT_LOCK, 0, 4, DATA}}},
		{"a meeting before it is no data",
			{{7, INPUT_LOCK, 0, 0, NONE}, {4, INPUT_LOCK, 0, 0, DATA},
				{6, INPUT_LOCK, 0, 1, NONE}}},
		{"asked again and again at one line",
			{{4, INPUT_LOCK, 0, 1, DATA}, {4, INPUT_LOCK, 0, 1, DATA},
				{4, INPUT_LOCK, 0, 0, DATA}}},
		{"a meeting, then asked again and again at one line",
			{{7, INPUT_LOCK, 0, 0, NONE}, {4, INPUT_LOCK, 0, 1, DATA},
				{4, INPUT_LOCK, 0, 0, DATA}}},
		{"all limits are over, and something has come", {{4, INPUT_LOCK, 0, 1, DATA}}},
		{"the line that was waited at last, not the new one",
			{{4, INPUT_LOCK, 0, 0, DATA}, {6, INPUT_LOCK, 0, 0, NONE},
				{4, INPUT_LOCK, 0, 0, DATA}}},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		const struct report *report = fed(&builder, &cases[i]);
		unsigned named = 0;
		for (unsigned j = 0; j < MOST && cases[i].items[j].place > 0; j++) {
			uint64_t line = 10ull * cases[i].items[j].place;
			bool data = cases[i].items[j].brings == DATA;
			bool bound = builder_finding(report, "input-bound", line) != NULL;
			cr_expect(eq(int, builder_finding(report, "host-blocked", line) != NULL,
					  !data),
				"%s: %u", cases[i].name, (unsigned)line);
			cr_expect(not(bound && !data), "%s: %u", cases[i].name, (unsigned)line);
			named += bound;
		}
		cr_expect(named > 0, "%s", cases[i].name);
		builder_free(&builder);
	}
}
