/* SPDX-License-Identifier: MIT */
/*
 * Training loops written down by hand for tests of the model: a builder keeps a
 * clock, and each function appends one call that takes some microseconds. Records go
 * straight into a model; names and places are fixed tables. What the device does is
 * up to the test, which says how long each wait lasts.
 */
#ifndef TEST_UNIT_MODEL_BUILDER_H
#define TEST_UNIT_MODEL_BUILDER_H

#include <criterion/criterion.h>
#include <stdlib.h>

#include "analyzer/model/model.h"
#include "analyzer/report/report.h"
#include "collector/format/fields.h"
#include "test/unit/analyzer/model_names.h"

#define BUILDER_START_NS 1000000000ull
#define US               1000ull

struct builder {
	struct model *model;
	uint64_t now_ns;
	uint32_t thread;
	struct thresholds thresholds;
	struct report *report;
};

/* Steps end as the user asked. */
static inline struct builder builder_asked(enum step_method asked, const char *name)
{
	const struct lookup lookup = {
		.text = text_of, .place = place_of, .call = call_of, .stack = stack_of};
	const struct model_options options = {.join_ns = 50 * US,
		.blocked_ns = 50 * US,
		.matched_pct = 95,
		.asked = asked,
		.asked_name = name};
	struct builder builder = {.now_ns = BUILDER_START_NS, .thread = 1};
	builder.model = model_new(&lookup, &options);
	builder.report = malloc(sizeof(*builder.report));
	cr_assert(builder.model != NULL && builder.report != NULL);
	thresholds_init(&builder.thresholds);
	return builder;
}

static inline struct builder builder_new(void)
{
	return builder_asked(STEP_BY_NOTHING, NULL);
}

static inline void builder_free(struct builder *builder)
{
	model_free(builder->model);
	free(builder->report);
}

/* Host time that passes without any record. */
static inline void builder_pause(struct builder *builder, uint64_t us)
{
	builder->now_ns += us * US;
}

/* Any record, as it is. */
static inline void builder_add(struct builder *builder, const struct record *record)
{
	if (model_is_device(record))
		cr_assert(model_add_device(builder->model, record, 1) == 0);
	else
		cr_assert(model_add(builder->model, builder->thread, record, 1) == 0);
}

/* Let us pass in a call and append its record. */
static inline void call(struct builder *builder, uint64_t us, struct record record)
{
	record.begin = builder->now_ns;
	builder->now_ns += us * US;
	record.end = builder->now_ns;
	builder_add(builder, &record);
}

static inline void builder_launch(
	struct builder *builder, uint64_t us, uint32_t kernel, uint32_t place)
{
	call(builder, us,
		(struct record){.kind = RECORD_LAUNCH, .call = 1, .name = kernel, .place = place});
}

static inline void builder_sync(struct builder *builder, uint64_t us, uint32_t place)
{
	call(builder, us,
		(struct record){.kind = RECORD_SYNC,
			.call = 2,
			.place = place,
			.b = record_bits_scope(SYNC_STREAM)});
}

/* A copy; memory: of the host's end. */
static inline void builder_copy(struct builder *builder, uint64_t us, enum copy_direction direction,
	uint64_t bytes, enum memory_kind memory, uint32_t place)
{
	bool in = direction == COPY_HOST_TO_DEVICE;
	uint64_t source = in ? memory : MEMORY_DEVICE, target = in ? MEMORY_DEVICE : memory;
	call(builder, us,
		(struct record){.kind = RECORD_COPY,
			.call = 3,
			.place = place,
			.a = bytes,
			.b = record_bits_direction(direction) | record_bits_src_memory(source) |
			     record_bits_dst_memory(target),
			.d = RECORD_ASYNC});
}

static inline void builder_input(struct builder *builder, uint64_t us)
{
	call(builder, us, (struct record){.kind = RECORD_INPUT, .call = 4, .a = 3});
}

static inline void builder_alloc(struct builder *builder, uint64_t us)
{
	call(builder, us, (struct record){.kind = RECORD_ALLOC, .call = 5, .d = RECORD_CREATE});
}

/* A range or operator from begin_ns to now. */
static inline void builder_op(
	struct builder *builder, uint64_t begin_ns, uint32_t name, enum op_scope scope)
{
	builder_add(builder, &(struct record){.begin = begin_ns,
				     .end = builder->now_ns,
				     .kind = RECORD_OP,
				     .name = name,
				     .c = (uint32_t)scope});
}

#endif
