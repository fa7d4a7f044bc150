/* SPDX-License-Identifier: MIT */
/* What other ranks send by way of the host is waited for, and goes to the device: it is no data. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/model_report.h"

#define STEPS 40

/* Steps in which a thread is blocked for 5 ms at a place, and then copies to the device. */
static const struct report *run(
	struct builder *builder, uint32_t sends, uint64_t stride, uint16_t blocks, uint32_t place)
{
	*builder = builder_new();
	for (unsigned step = 0; step < STEPS; step++) {
		uint64_t begin = builder->now_ns;
		builder_launch(builder, 10, NAME_KERNEL, 1);
		builder_sync(builder, 100, 3);
		uint64_t op = builder->now_ns;
		builder_pause(builder, 100);
		if (sends != 0 && step % stride == 0)
			builder_add(builder, &(struct record){.kind = RECORD_OP,
						     .begin = op,
						     .end = builder->now_ns,
						     .place = 5,
						     .name = sends});
		call(builder, 5000,
			(struct record){.kind = RECORD_INPUT,
				.call = blocks,
				.place = place,
				.c = INPUT_LOCK});
		builder_copy(builder, 10, COPY_HOST_TO_DEVICE, 4096, MEMORY_PINNED, 6);
		builder_op(builder, begin, NAME_OPTIMIZER, OP_USER_SCOPE);
	}
	return builder_finish(builder);
}

static void expect_ranks(const struct report *report, uint64_t line)
{
	const struct finding *finding = builder_finding(report, "host-blocked", line);
	cr_assert(finding != NULL);
	cr_expect(strstr(finding->evidence, "waiting for the other ranks") != NULL, "%s",
		finding->evidence);
	cr_expect(strstr(finding->advice, "async_op=True") != NULL, "%s", finding->advice);
	cr_expect(builder_finding(report, "input-bound", line) == NULL);
}

/* However it came. */
Test(other_ranks, what_the_code_that_sends_waits_for_is_no_data)
{
	struct builder builder;
	expect_ranks(run(&builder, 0, 1, 4, BUILDER_RANKS), 10 * BUILDER_RANKS);
	builder_free(&builder);
}

/* A method of the handle, which is no Python code, waits. */
Test(other_ranks, what_a_handle_waits_for_is_no_data)
{
	struct builder builder;
	expect_ranks(run(&builder, NAME_REDUCE, 1, CALL_CONDITION, 4), 40);
	builder_free(&builder);
}

/* Python's own locks, a run that sends nothing, code of a package, and what was sent long ago. */
Test(other_ranks, other_locks_give_data_still)
{
	static const struct {
		const char *name;
		uint32_t sends, place, line;
		uint64_t stride;
		uint16_t blocks;
	} cases[] = {
		{"a lock of Python's", NAME_REDUCE, 4, 40, 1, 4},
		{"nothing is sent", 0, 4, 40, 1, CALL_CONDITION},
		{"an operator that sends nothing", NAME_NUMPY, 4, 40, 1, CALL_CONDITION},
		{"in a package", NAME_REDUCE, BUILDER_METRIC, 10 * BUILDER_THROUGH, 1,
			CALL_CONDITION},
		{"sent in the first step only", NAME_REDUCE, 4, 40, STEPS, CALL_CONDITION},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct builder builder;
		const struct report *report = run(
			&builder, cases[i].sends, cases[i].stride, cases[i].blocks, cases[i].place);
		cr_expect(builder_finding(report, "input-bound", cases[i].line) != NULL, "%s",
			cases[i].name);
		cr_expect(builder_finding(report, "host-blocked", cases[i].line) == NULL, "%s",
			cases[i].name);
		builder_free(&builder);
	}
}
