/* SPDX-License-Identifier: MIT */
/*
 * Operators of a framework, ranges that the program marks, and waiting for input: what they say
 * about steps, about the host's time, and about the calls within them. Not thread-safe.
 */
#ifndef ANALYZER_MODEL_RANGES_H
#define ANALYZER_MODEL_RANGES_H

#include "analyzer/model/state.h"

/* OP, RANGE, INPUT. 0 or -ENOMEM. */
int model_op(struct model *model, struct model_thread *thread, const struct record *record);
int model_range(
	struct model *model, const struct model_thread *thread, const struct record *record);
int model_input(struct model *model, struct model_thread *thread, const struct record *record);

#endif
