/* SPDX-License-Identifier: MIT */
/* Two compiled functions take turns in stretches: whether it is certain which of them is a step. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "test/unit/analyzer/device_builder.h"
#include "test/unit/analyzer/model_report.h"

static struct builder builder;

static void end(void)
{
	builder_free(&builder);
}

TestSuite(rivals, .fini = end);

static void call_often(unsigned times, uint32_t name, uint32_t place)
{
	for (unsigned i = 0; i < times; i++) {
		uint64_t begin = builder.now_ns;
		builder_pause(&builder, 1000);
		builder_add(&builder, &(struct record){.begin = begin,
					      .end = builder.now_ns,
					      .kind = RECORD_OP,
					      .name = name,
					      .place = place,
					      .c = record_bits_OP_framework(OP_JAX)});
		builder_pause(&builder, 200);
	}
}

/* What is said of the steps' end; "": nothing. */
static const char *doubt_of_steps(uint32_t trains, uint32_t other, unsigned others)
{
	builder = builder_new();
	for (unsigned epoch = 0; epoch < 4; epoch++) {
		call_often(20, trains, 3);
		call_often(others, other, 4);
	}
	const struct verdict *verdict = &builder_finish(&builder)->verdict;
	for (unsigned i = 0; i < verdict->doubt_count; i++)
		if (verdict->doubts[i].id == DOUBT_STEPS)
			return verdict->doubts[i].text;
	return "";
}

Test(rivals, where_no_name_tells_both_are_told)
{
	cr_expect(eq(str, (char *)doubt_of_steps(NAME_ITEM, NAME_TO, 50),
		"aten::to, which comes most often, is taken for a step, but takes turns with "
		"aten::item, and no name says which of them is one"));
}

Test(rivals, where_a_name_tells_no_other_is_told)
{
	cr_expect(strstr(doubt_of_steps(NAME_JIT_SUM, NAME_JIT_EVALUATE, 50), "turns") == NULL);
	end();
	cr_expect(strstr(doubt_of_steps(NAME_JIT_TRAIN, NAME_JIT_SUM, 50), "turns") == NULL);
}
