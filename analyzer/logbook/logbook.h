/* SPDX-License-Identifier: MIT */
/*
 * The optimisation log: a text file with a line for each attempt, oldest first, between a first
 * line that names the format and a last one that shows that nothing was cut off.
 *
 * Owns its texts. Not thread-safe; an all-zero log is empty.
 */
#ifndef ANALYZER_LOGBOOK_LOGBOOK_H
#define ANALYZER_LOGBOOK_LOGBOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/text/out.h"
#include "collector/base/vec.h"

#define LOGBOOK_WORD    48u
#define LOGBOOK_TEXT    512u /* of what was done, with its end */
#define LOGBOOK_PROGRAM 128u
#define LOGBOOK_MOST    10000u /* attempts */

#define LOGBOOK_REAL      "real"
#define LOGBOOK_SIMULATED "simulated"

enum logbook_ratio {
	LOGBOOK_WAITING,
	LOGBOOK_BUSY,
	LOGBOOK_HOST,
	LOGBOOK_RATIO_COUNT
};
#define LOGBOOK_RATIO_UNKNOWN UINT32_MAX

/* One attempt; what is not known is 0, "-" or LOGBOOK_RATIO_UNKNOWN. */
struct logbook_attempt {
	uint64_t step_ns; /* mean of a run; of several runs the median of these */
	uint64_t samples; /* in a step */
	uint64_t runs, steps;
	uint64_t input_bytes;                 /* to the device, per step */
	uint32_t tenths[LOGBOOK_RATIO_COUNT]; /* of a percent */
	char verdict[LOGBOOK_WORD], cause[LOGBOOK_WORD], confidence[LOGBOOK_WORD];
	char text[LOGBOOK_TEXT];
};

struct logbook {
	char program[LOGBOOK_PROGRAM];
	char framework[LOGBOOK_WORD];
	char gpu[LOGBOOK_WORD]; /* LOGBOOK_REAL or LOGBOOK_SIMULATED: other times */
	uint64_t world_size;
	VEC(struct logbook_attempt) attempts;
};

/* What is wrong with a log, for the line that the user sees. */
struct logbook_problem {
	uint64_t line; /* 0: of the whole */
	char text[256];
};

/*
 * Read a log of size bytes. 0, -ERR_BAD_VALUE (ret_problem says why) or -ENOMEM.
 * logbook_release() after every outcome.
 */
int logbook_read(
	struct logbook *log, const char *text, size_t size, struct logbook_problem *ret_problem);
void logbook_write(const struct logbook *log, struct out *out);
void logbook_release(struct logbook *log);

/* The text is one line that a log can hold: not empty, not too long, no control characters. */
bool logbook_takes_text(const char *text);

#endif
