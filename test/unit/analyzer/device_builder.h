/* SPDX-License-Identifier: MIT */
/*
 * What a device reports about the calls of a loop of model_builder.h: each helper notes the
 * records of one call, and they reach the model when the test says so, newest first, as a
 * device's buffers do that come late and in no order.
 */
#ifndef TEST_UNIT_DEVICE_BUILDER_H
#define TEST_UNIT_DEVICE_BUILDER_H

#include <string.h>

#include "test/unit/analyzer/model_report.h"

#define DEVICE_NOTES 65536u
#define DEVICE_STEPS 40u /* of most loops here */

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

/* A loop of a process whose device is recorded from the start. */
static inline struct builder device_begin(struct device_notes *notes)
{
	struct builder builder = builder_new();
	notes->count = notes->correlation = 0;
	device_state(&builder, SOURCE_ACTIVE);
	return builder;
}

/* A step ends, which began at begin_ns. */
static inline void device_step(struct builder *builder, uint64_t begin_ns)
{
	builder_op(builder, begin_ns, NAME_OPTIMIZER, OP_USER_SCOPE);
}

/* All causes together. */
static inline uint64_t device_sum(const struct report *report)
{
	uint64_t sum = 0;
	for (unsigned cause = 0; cause < CAUSE_COUNT; cause++)
		sum += report->swept[cause];
	return sum;
}

/* A value of the account; in these loops all steps are equal, and whole microseconds. */
static inline uint64_t device_us(const struct report *report, unsigned value)
{
	cr_assert(report->swept[value] % (report->steps.steady * US) == 0);
	return report->swept[value] / report->steps.steady / US;
}

/* The report says so about the state of the trace. */
static inline bool device_reason(const struct report *report, const char *text)
{
	for (unsigned i = 0; i < report->health.reason_count; i++)
		if (strstr(report->health.reasons[i], text) != NULL)
			return true;
	return false;
}

#endif
