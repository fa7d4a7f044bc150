/* SPDX-License-Identifier: MIT */
/*
 * The time line of a run for viewers, in one of their formats (writer.h): a row per thread with
 * calls and operators, a row per stream with what the device did, arrows from the calls to it, a
 * row for waits, counters for samples, and what the report says: the steps, the findings and which
 * events they are about.
 *
 * One pass; memory does not grow with the number of events, and nothing is left out but what was
 * not asked for. Not thread-safe.
 */
#ifndef ANALYZER_EXPORT_TIMELINE_H
#define ANALYZER_EXPORT_TIMELINE_H

#include "analyzer/export/writer.h"

struct timeline;

struct timeline_counts {
	uint64_t events;  /* records */
	uint64_t arrows;  /* operations with the call that asked for them */
	uint64_t without; /* operations without, as their call is not in the trace */
};

/* Times are counted from begin_ns. NULL: no memory. */
struct timeline *timeline_new(const struct timeline_writer *writer, struct out *out,
	uint64_t begin_ns, enum demangle_how how);
void timeline_free(struct timeline *timeline);

/* The next items are of this file; its process gets rows of its own. remarks: NULL or kept. */
void timeline_begin_file(
	struct timeline *timeline, struct reader *reader, const struct remarks *remarks);
/* 0 or -ENOMEM. */
int timeline_item(struct timeline *timeline, const struct item *item);
int timeline_end_file(struct timeline *timeline);

/* Once, after the last file. */
void timeline_finish(struct timeline *timeline);

const struct timeline_counts *timeline_counts(const struct timeline *timeline);

#endif
