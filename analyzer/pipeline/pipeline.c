/* SPDX-License-Identifier: MIT */
#include "analyzer/pipeline/pipeline.h"

#include <stdbool.h>
#include <string.h>

#include "collector/format/fields.h"

#define ROWS_LEAST 20u
/* Of the rows that are asked for, so many (one of) are not there; else it is a matter of a few. */
#define EMPTY_ONE_OF 10u
/* A stage that is waited for so much less than the last one is (one of) has no part in it. */
#define PART_ONE_OF 2u

static bool is_before(const struct pipeline_stage *a, const struct pipeline_stage *b)
{
	return a->level != b->level ? a->level < b->level : a->number < b->number;
}

/* The stage of a record, new if need be, in its place. NULL: there is no room. */
static struct pipeline_stage *stage_of(struct pipeline *pipeline, const struct record *record)
{
	const struct pipeline_stage wanted = {.name = record_PIPELINE_stage(record),
		.number = (uint16_t)record_PIPELINE_number(record),
		.level = (uint8_t)record_PIPELINE_level(record)};
	unsigned at = pipeline->count;
	for (unsigned i = 0; i < pipeline->count; i++) {
		struct pipeline_stage *stage = &pipeline->stages[i];
		if (stage->name == wanted.name && stage->number == wanted.number &&
			stage->level == wanted.level)
			return stage;
	}
	if (pipeline->count == PIPELINE_STAGES)
		return NULL;
	while (at > 0 && is_before(&wanted, &pipeline->stages[at - 1]))
		at--;
	memmove(&pipeline->stages[at + 1], &pipeline->stages[at],
		(pipeline->count++ - at) * sizeof(wanted));
	pipeline->stages[at] = wanted;
	return &pipeline->stages[at];
}

void pipeline_add(struct pipeline *pipeline, const struct record *record)
{
	struct pipeline_stage *stage = stage_of(pipeline, record);
	if (stage == NULL) {
		pipeline->left_out++;
		return;
	}
	if (record_PIPELINE_capacity(record) > stage->capacity)
		stage->capacity = record_PIPELINE_capacity(record);
	stage->rows += record_PIPELINE_rows(record);
	stage->empty += record_PIPELINE_empty(record);
	stage->queued += record_PIPELINE_queued(record);
	stage->waited_ns += record_PIPELINE_waited_ns(record);
	stage->span_ns += record->end > record->begin ? record->end - record->begin : 0;
}

static double waited(const struct pipeline_stage *stage)
{
	return stage->span_ns > 0 ? (double)stage->waited_ns / (double)stage->span_ns : 0;
}

static bool is_waited_for(const struct pipeline_stage *stage, double least)
{
	return stage->rows >= ROWS_LEAST && EMPTY_ONE_OF * stage->empty >= stage->rows &&
	       waited(stage) > 0 && waited(stage) >= least;
}

/* Of those one level before a stage, the one that is waited for most. NULL: there is none. */
static const struct pipeline_stage *before(
	const struct pipeline *pipeline, const struct pipeline_stage *stage)
{
	const struct pipeline_stage *end = pipeline->stages + pipeline->count, *most = NULL;
	while (stage < end - 1 && stage[1].level == stage->level)
		stage++;
	for (const struct pipeline_stage *other = stage + 1;
		other < end && other->level == stage[1].level; other++)
		if (most == NULL || waited(other) > waited(most))
			most = other;
	return most;
}

const struct pipeline_stage *pipeline_pace(
	const struct pipeline *pipeline, const struct pipeline_stage **ret_before)
{
	const struct pipeline_stage *stage = pipeline->stages, *next;
	*ret_before = NULL;
	if (pipeline->count == 0 || !is_waited_for(stage, 0))
		return NULL;
	double least = waited(stage) / PART_ONE_OF;
	while ((next = before(pipeline, stage)) != NULL && is_waited_for(next, least))
		stage = next;
	*ret_before = next;
	return stage;
}
