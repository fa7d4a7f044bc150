/* SPDX-License-Identifier: MIT */
/*
 * The processes and tracks of a time line, told to the writer when they are first needed: a track
 * is a lane of a row. Threads keep their own number in the system, all other tracks have
 * one that no thread has. Not thread-safe.
 */
#ifndef ANALYZER_EXPORT_TIMELINE_ROWS_H
#define ANALYZER_EXPORT_TIMELINE_ROWS_H

#include "analyzer/export/writer.h"
#include "collector/base/idmap.h"

struct timeline_rows {
	const struct timeline_writer *writer;
	void *out;
	VEC(uint64_t) pids; /* of all files */
	uint64_t file_count, track_count;
	/* the file in work */
	const struct reader *reader;
	bool knows_process;
	struct rows rows;
	struct idmap names;                  /* of threads; owned */
	VEC(struct timeline_track *) tracks; /* owned */
};

void timeline_rows_init(
	struct timeline_rows *rows, const struct timeline_writer *writer, void *out);
void timeline_rows_release(struct timeline_rows *rows);

void timeline_rows_begin_file(struct timeline_rows *rows, const struct reader *reader);
void timeline_rows_end_file(struct timeline_rows *rows);

/* Tell the writer of the file's process, once its description was read. */
void timeline_rows_know_process(struct timeline_rows *rows);

/* A thread has this name from now on. */
void timeline_rows_name(struct timeline_rows *rows, const struct meta_THREAD *thread);

/* The track for an event of a row; valid until the file ends. NULL: no memory. */
const struct timeline_track *timeline_rows_track(
	struct timeline_rows *rows, const struct row_key *key, uint64_t begin_ns, uint64_t end_ns);

#endif
