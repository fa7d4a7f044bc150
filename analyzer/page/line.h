/* SPDX-License-Identifier: MIT */
/*
 * The time line of a run inside its page: all events of all processes, row by row, in one packed
 * text. Up to LINE_WHOLE events every one is there; of longer runs, or where steps were asked for,
 * those that overlap the chosen windows, and all others as sums. Nothing is dropped without a
 * count.
 *
 * The text is a row of chunks, each with a letter in front: "D" size, lines of JSON that describe
 * labels, rows, processes, or hold the tables of the report; "E" events of a row; "B" sums of a
 * row; "A" pieces of the account; "S" steps. Memory does not grow with the number of events. Not
 * thread-safe.
 */
#ifndef ANALYZER_PAGE_LINE_H
#define ANALYZER_PAGE_LINE_H

#include "analyzer/history/history.h"
#include "analyzer/page/label.h"
#include "analyzer/page/track.h"
#include "analyzer/read/reader.h"
#include "collector/base/idmap.h"
#include "collector/base/vec.h"

#define LINE_WHOLE 1000000u

struct line_window {
	uint64_t begin_ns, end_ns;
};

struct line_options {
	uint64_t begin_ns, end_ns; /* of the run */
	bool whole;
	const struct line_window *windows; /* ascending; of what is kept when it is not whole */
	size_t window_count;
	uint64_t threads; /* of the analysed process: sums are coarser where there are many */
	enum demangle_how names;
};

struct line;

/* NULL: no memory. The options must outlive it. */
struct line *line_new(struct out *out, const struct line_options *options);
void line_free(struct line *line);

void line_begin_file(struct line *line, const struct reader *reader);
void line_item(struct line *line, const struct item *item);
/* analysed: the report is about this process. */
void line_end_file(struct line *line, bool analysed);

/* A JSON text on one line, as a description. */
void line_text(struct line *line, const char *json, size_t size);

/* Steps and pieces of the analysed process, from the begin of the run. */
void line_history(struct line *line, const struct history *history);

/* The end of the text. Once. */
void line_finish(struct line *line);

#endif
