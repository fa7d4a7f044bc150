/* SPDX-License-Identifier: MIT */
/*
 * When the device's side was recorded: the states of its source (SOURCE_STATE of "activity"),
 * each from its time on. They say for which calls a record of the device is to be expected. At
 * most SOURCE_LIMIT are kept; the last one then stands for all that follow. Times are
 * CLOCK_MONOTONIC ns. Not thread-safe; an all-zero struct has no state.
 */
#ifndef ANALYZER_DEVICE_SOURCE_H
#define ANALYZER_DEVICE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/value.h"

#define SOURCE_LIMIT 256u

struct source {
	struct source_change {
		uint64_t ns;
		enum source_state state;
	} changes[SOURCE_LIMIT]; /* ascending */
	uint32_t count;
};

/* The source enters a state; changes may come in any order. */
void source_set(struct source *source, uint64_t ns, enum source_state state);

/* True when calls made at that time are to have records; without any state always. */
bool source_is_active(const struct source *source, uint64_t ns);

/* How much of the time from begin to end the source was in a state. */
uint64_t source_state_ns(
	const struct source *source, enum source_state state, uint64_t begin_ns, uint64_t end_ns);

#endif
