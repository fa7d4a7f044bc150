/* SPDX-License-Identifier: MIT */
/* The queues between the stages of a data set: sums, and which stage sets the pace. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>

#include "analyzer/pipeline/pipeline.h"
#include "collector/format/fields.h"

#define MS   1000000ull
#define ROWS 100u

enum name {
	BATCH = 1,
	MAP,
	SOURCE,
	OTHER
};

/* A second of a stage, in which it was asked for ROWS rows. */
static void tell(struct pipeline *pipeline, enum name name, unsigned level, unsigned empty,
	uint64_t waited_ms)
{
	struct record record = {.kind = RECORD_PIPELINE, .begin = 5 * MS, .end = 1005 * MS};
	record.name = name;
	record_set_PIPELINE_number(&record, level);
	record_set_PIPELINE_level(&record, level);
	record_set_PIPELINE_capacity(&record, 16);
	record_set_PIPELINE_rows(&record, ROWS);
	record_set_PIPELINE_empty(&record, empty);
	record_set_PIPELINE_queued(&record, 10 * (ROWS - empty));
	record_set_PIPELINE_waited_ns(&record, waited_ms * MS);
	pipeline_add(pipeline, &record);
}

static void expect(const struct pipeline *pipeline, uint32_t pace, uint32_t before)
{
	const struct pipeline_stage *other, *stage = pipeline_pace(pipeline, &other);
	cr_assert(eq(u32, stage != NULL ? stage->name : 0, pace));
	cr_assert(eq(u32, stage != NULL && other != NULL ? other->name : 0, before));
}

Test(pipeline, adds_up_by_stage_from_the_end_of_the_data_set_on)
{
	struct pipeline pipeline = {.count = 0};
	tell(&pipeline, SOURCE, 3, 7, 70);
	tell(&pipeline, BATCH, 1, 5, 50);
	tell(&pipeline, MAP, 2, 0, 0);
	tell(&pipeline, BATCH, 1, 20, 200);
	cr_assert(eq(u32, pipeline.count, 3));
	cr_assert(eq(u32, pipeline.stages[0].name, BATCH));
	cr_assert(eq(u32, pipeline.stages[1].name, MAP));
	cr_assert(eq(u32, pipeline.stages[2].name, SOURCE));
	cr_assert(eq(u64, pipeline.stages[0].rows, 200));
	cr_assert(eq(u64, pipeline.stages[0].empty, 25));
	cr_assert(eq(u64, pipeline.stages[0].queued, 1750));
	cr_assert(eq(u64, pipeline.stages[0].waited_ns, 250 * MS));
	cr_assert(eq(u64, pipeline.stages[0].span_ns, 2000 * MS));
	cr_assert(eq(u64, pipeline.stages[0].capacity, 16));
}

Test(pipeline, the_stage_that_waits_for_nothing_itself_sets_the_pace)
{
	struct pipeline source = {.count = 0}, map = {.count = 0}, batch = {.count = 0};
	tell(&source, BATCH, 1, 99, 900);
	tell(&source, MAP, 2, 99, 950);
	tell(&source, SOURCE, 3, 98, 990);
	expect(&source, SOURCE, 0);
	tell(&map, BATCH, 1, 99, 900);
	tell(&map, MAP, 2, 80, 850);
	tell(&map, SOURCE, 3, 2, 10);
	expect(&map, MAP, SOURCE);
	tell(&batch, BATCH, 1, 99, 900);
	tell(&batch, MAP, 2, 0, 0);
	tell(&batch, SOURCE, 3, 0, 0);
	expect(&batch, BATCH, MAP);
}

Test(pipeline, nobody_sets_the_pace_where_nobody_waits)
{
	struct pipeline fast = {.count = 0}, none = {.count = 0}, starts = {.count = 0};
	tell(&fast, BATCH, 1, 0, 0);
	tell(&fast, SOURCE, 2, 60, 500);
	expect(&fast, 0, 0);
	expect(&none, 0, 0);
	/* long waits, but for the first rows only */
	tell(&starts, BATCH, 1, 3, 900);
	tell(&starts, SOURCE, 2, 3, 900);
	expect(&starts, 0, 0);
}

Test(pipeline, of_stages_whose_rows_are_put_together_the_slower_one_sets_the_pace)
{
	struct pipeline zip = {.count = 0};
	tell(&zip, BATCH, 1, 99, 900);
	tell(&zip, SOURCE, 3, 1, 10);
	tell(&zip, OTHER, 3, 90, 890);
	expect(&zip, OTHER, 0);
}

Test(pipeline, what_is_too_much_is_counted)
{
	struct pipeline pipeline = {.count = 0};
	for (unsigned i = 0; i < PIPELINE_STAGES + 3; i++)
		tell(&pipeline, BATCH, i, 0, 0);
	cr_assert(eq(u32, pipeline.count, PIPELINE_STAGES));
	cr_assert(eq(u64, pipeline.left_out, 3));
	const struct pipeline_stage *last = &pipeline.stages[PIPELINE_STAGES - 1], *before;
	cr_assert(eq(u32, last->level, PIPELINE_STAGES - 1));
	cr_assert(eq(ptr, (void *)pipeline_pace(&pipeline, &before), NULL));
}
