/* SPDX-License-Identifier: MIT */
/*
 * Rows of a time line: on which one an event lies. Threads with what they called, streams of a
 * device, and a row for each sort of event that a thread did not do itself: intervals and waits as
 * the device's side saw them, memory, the cost of recording, samples of stacks, figures, states.
 *
 * Pure functions and plain data.
 */
#ifndef ANALYZER_PAGE_ROW_H
#define ANALYZER_PAGE_ROW_H

#include "collector/format/record.h"

enum row_class {
	ROW_THREAD,
	ROW_STREAM,
	ROW_DEVICE_WAIT,
	ROW_DEVICE_MEMORY,
	ROW_DEVICE_CALL,
	ROW_OVERHEAD,
	ROW_STACK,
	ROW_FIGURE,        /* of the process */
	ROW_THREAD_FIGURE, /* of a thread */
	ROW_STATE,
	ROW_CLASS_COUNT
};

extern const char *const row_class_names[ROW_CLASS_COUNT];

struct row_id {
	enum row_class class;
	uint32_t device; /* or metric */
	uint64_t id;     /* stream, or thread */
};

/* thread: the one that recorded it, by its number in the file. */
struct row_id row_id_of(uint32_t thread, const struct record *record);

#endif
