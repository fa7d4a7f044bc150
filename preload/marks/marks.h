/* SPDX-License-Identifier: MIT */
/*
 * What a program tells by itself, through user/libtrace.h or user/libtrace.py, which look this
 * one function up by its name and go without where it is not there.
 *
 * Numbers of what are never used for something else; one that is not known answers 0, so that an
 * older library serves a newer header. A step becomes a range of no length with RANGE_STEP, a range
 * one that is started and ended by id. Ranges beyond those that preload/nvtx/pairs.h has room for
 * are counted as lost. Any thread; no heap, no lock; errno is kept.
 */
#ifndef PRELOAD_MARKS_H
#define PRELOAD_MARKS_H

#include <stdint.h>

enum marks_what {
	MARKS_HELLO,  /* 1: somebody listens; comes first */
	MARKS_STEP,   /* a training step ends */
	MARKS_BEGIN,  /* a range of the name text; its id, for the end */
	MARKS_END,    /* of the range number */
	MARKS_PAUSE,  /* recording is off from now on */
	MARKS_RESUME, /* and on again */
	MARKS_NOTE,   /* metadata: text is value */
};

#define MARKS_NOTES 128u /* changes of metadata that are kept */

/* Called by name, from outside. */
__attribute__((visibility("default"))) uint64_t libtrace_mark(
	uint32_t what, const char *text, const char *value, uint64_t number);

#endif
