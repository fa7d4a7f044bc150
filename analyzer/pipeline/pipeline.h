/* SPDX-License-Identifier: MIT */
/*
 * The stages of a framework's data set, each with a queue behind it, as the next one finds that:
 * from there to the loop the rows go through one stage after the other, and several of them do
 * so at once. A stage sets the pace if whoever comes behind it waits for it, and it does not
 * wait itself: its queue is empty, the one before it is not.
 *
 * Stages of the same name, number and level are one, in whatever order they were told. Memory is
 * bounded: what does not fit is counted. Plain data; an all-zero struct is empty.
 */
#ifndef ANALYZER_PIPELINE_H
#define ANALYZER_PIPELINE_H

#include <stdint.h>

#include "collector/format/record.h"

#define PIPELINE_STAGES 64u

struct pipeline_stage {
	uint32_t name;
	uint16_t number;
	uint8_t level;     /* stages between it and the end of the data set */
	uint64_t capacity; /* of its queue, the most that was told */
	uint64_t rows;     /* that were taken out of it */
	uint64_t empty;    /* of these times there was none */
	uint64_t queued;   /* how many there were, over all times */
	uint64_t waited_ns, span_ns;
};

struct pipeline {
	struct pipeline_stage stages[PIPELINE_STAGES]; /* from the end of the data set on */
	unsigned count;
	uint64_t left_out; /* records of others */
};

/* A PIPELINE record. */
void pipeline_add(struct pipeline *pipeline, const struct record *record);

/*
 * The stage that sets the pace, and before it, of those whose rows it takes, the one that it
 * waits for most. NULL: the last stage keeps nobody waiting, or there is none; *ret_before NULL:
 * there is none before it.
 */
const struct pipeline_stage *pipeline_pace(
	const struct pipeline *pipeline, const struct pipeline_stage **ret_before);

#endif
