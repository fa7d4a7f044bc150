/* SPDX-License-Identifier: MIT */
/* A loop whose host runs ahead of the device: what a test makes of calls, kernels and waits. */
#ifndef TEST_UNIT_ANALYZER_AHEAD_LOOP_H
#define TEST_UNIT_ANALYZER_AHEAD_LOOP_H

#include "test/unit/analyzer/device_builder.h"

#define DEVICE_US 1000u
#define HOST_US   100u

static struct device_notes notes;
static uint64_t free_ns; /* when the device has done what it was given */

static inline struct builder begin_loop(void)
{
	free_ns = 0;
	return device_begin(&notes);
}

/* One kernel of us, behind what is there; the call takes 10 us. noted: the device reports it. */
static inline void launch(struct builder *builder, uint64_t us, bool noted)
{
	builder_launch(builder, 10, NAME_KERNEL, 1);
	uint64_t begin_ns = free_ns > builder->now_ns ? free_ns : builder->now_ns;
	free_ns = begin_ns + us * US;
	if (!noted)
		return;
	device_call(&notes, builder, 10);
	device_work(&notes, builder, RECORD_DEVICE_KERNEL, NAME_KERNEL,
		(int64_t)((begin_ns - builder->now_ns) / US), us);
}

static inline void ahead_step(struct builder *builder, bool noted)
{
	uint64_t begin_ns = builder->now_ns;
	launch(builder, DEVICE_US, noted);
	builder_pause(builder, HOST_US - 10);
	device_step(builder, begin_ns);
}

/* A wait for the whole stream, that ends with its work and 5 us. */
static inline void drain(struct builder *builder)
{
	uint64_t now_ns = builder->now_ns;
	builder_sync(builder, (free_ns > now_ns ? (free_ns - now_ns) / US : 0) + 5, 3);
}

static inline const struct report *finish(struct builder *builder)
{
	device_flush(&notes, builder);
	return builder_finish(builder);
}

#endif
