/* SPDX-License-Identifier: MIT */
/*
 * When the device's side was recorded: the states of its source (SOURCE_STATE of "activity"),
 * each from its time on, and the window of the trace that is looked at. They say for which calls a
 * record of the device is to be expected, and of which operations the call is not. At most
 * SOURCE_LIMIT states are kept; the last one then stands for all that follow. Times are
 * CLOCK_MONOTONIC ns. Not thread-safe; an all-zero struct has no state and no window.
 */
#ifndef ANALYZER_DEVICE_SOURCE_H
#define ANALYZER_DEVICE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "collector/format/record.h"
#include "collector/format/value.h"

#define SOURCE_NAME  "activity"
#define SOURCE_LIMIT 256u

/* A state from ns on, and the first call in it that the device side's interface reported. */
struct source_change {
	uint64_t ns;
	uint64_t call_ns;
	uint32_t call_id;
	enum source_state state;
	bool called; /* there is such a call */
};

struct source {
	struct source_change changes[SOURCE_LIMIT]; /* ascending */
	struct source_change before;                /* the time before them; counts without any */
	uint32_t count;
	uint64_t known_from_ns, known_to_ns; /* calls of these times are not the first ones */
	uint64_t from_ns, to_ns;             /* the window; to_ns 0: none */
};

/*
 * The device's side tells which call asked for what: the record is of its interface, or a state of
 * its source. name: the text of the record's name, looked at for a state only.
 */
static inline bool source_tells(const struct record *record, const char *name)
{
	return record->kind == RECORD_DEVICE_API ||
	       (record->kind == RECORD_SOURCE_STATE && strcmp(name, SOURCE_NAME) == 0);
}

/* The source enters a state; changes may come in any order, those between calls first. */
void source_set(struct source *source, uint64_t ns, enum source_state state);

/* Nothing was read that lies outside of these times. */
void source_set_window(struct source *source, uint64_t from_ns, uint64_t to_ns);

/* True when calls made at that time are to have records; without any state always. */
bool source_is_active(const struct source *source, uint64_t ns);

/* True when what was asked for and has ended in this time is to have records. */
bool source_covers(const struct source *source, uint64_t begin_ns, uint64_t end_ns);

/* As source_note_call(), for calls that may be the first ones. */
void source_note_first(struct source *source, uint64_t ns, uint32_t id);

/* The interface reported a call of that id. */
static inline void source_note_call(struct source *source, uint64_t ns, uint32_t id)
{
	if (ns < source->known_from_ns || ns >= source->known_to_ns)
		source_note_first(source, ns, id);
}

/*
 * True when an operation that ended at end_ns and whose call was not reported was asked for before
 * the source became active (again) or before the window: ids ascend. As far as is known by now.
 */
bool source_precedes(const struct source *source, uint64_t end_ns, uint32_t id);

/* True when there was a time before that state or the window in which calls may have been made. */
bool source_is_resumed(const struct source *source, uint64_t ns);

/* How much of the time from begin to end the source was in a state. */
uint64_t source_state_ns(
	const struct source *source, enum source_state state, uint64_t begin_ns, uint64_t end_ns);

#endif
