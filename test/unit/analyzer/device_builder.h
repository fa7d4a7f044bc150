/* SPDX-License-Identifier: MIT */
/*
 * What a device reports about the calls of a loop of model_builder.h: each helper notes the
 * records of one call, and they reach the model when the test says so, newest first, as a
 * device's buffers do that come late and in no order.
 */
#ifndef TEST_UNIT_DEVICE_BUILDER_H
#define TEST_UNIT_DEVICE_BUILDER_H

#include "test/unit/analyzer/model_report.h"

#define DEVICE_NOTES 65536u

struct device_notes {
	struct record records[DEVICE_NOTES];
	unsigned count;
	uint32_t correlation;
};

static inline void device_note(struct device_notes *notes, const struct record *record)
{
	cr_assert(notes->count < DEVICE_NOTES);
	notes->records[notes->count++] = *record;
}

/* The call that has just been added took us: the interface's record of it, within. */
static inline void device_call(
	struct device_notes *notes, const struct builder *builder, uint64_t us)
{
	notes->correlation++;
	device_note(notes, &(struct record){.kind = RECORD_DEVICE_API,
				   .begin = builder->now_ns - us * US + 100,
				   .end = builder->now_ns - 100,
				   .a = builder->thread,
				   .place = notes->correlation});
}

/* An operation of that call, from so many us after now on. */
static inline void device_work(struct device_notes *notes, const struct builder *builder,
	enum record_kind kind, uint32_t name, int64_t after_us, uint64_t us)
{
	uint64_t begin = builder->now_ns + (uint64_t)(after_us * (int64_t)US);
	device_note(notes, &(struct record){.kind = (uint16_t)kind,
				   .begin = begin,
				   .end = begin + us * US,
				   .name = name,
				   .stream = 7,
				   .place = notes->correlation});
}

/* All that was noted arrives. */
static inline void device_flush(struct device_notes *notes, struct builder *builder)
{
	while (notes->count > 0)
		builder_add(builder, &notes->records[--notes->count]);
}

static inline void device_state(struct builder *builder, enum source_state state)
{
	builder_add(builder, &(struct record){.kind = RECORD_SOURCE_STATE,
				     .begin = builder->now_ns,
				     .end = builder->now_ns,
				     .name = NAME_ACTIVITY,
				     .c = (uint32_t)state});
}

#endif
