/* SPDX-License-Identifier: MIT */
/*
 * A baseline as text that people review: sorted lines "name = value", one for each thing counted,
 * as an exact "total/steps" (docs/gate.md). Not thread-safe.
 */
#ifndef ANALYZER_GATE_TEXT_BASELINE_TEXT_H
#define ANALYZER_GATE_TEXT_BASELINE_TEXT_H

#include "analyzer/gate/baseline.h"
#include "analyzer/text/out.h"

/* What is wrong with a baseline, for the line that the user sees; line 0: the whole. */
struct baseline_problem {
	uint64_t line;
	char text[256];
};

/* From its text. 0, -ERR_BAD_VALUE (ret_problem says why) or -ENOMEM. */
int baseline_read(struct baseline *baseline, const char *text, size_t size,
	struct baseline_problem *ret_problem);
void baseline_write(const struct baseline *baseline, struct out *out);

/* The bytes are the first ones of a baseline, whole or damaged. */
bool baseline_is(const char *text, size_t size);

#endif
