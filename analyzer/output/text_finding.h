/* SPDX-License-Identifier: MIT */
/*
 * A finding of the text report: a title of at most 80 columns (severity, rule, place), the
 * line of the program where the trace has it, what it costs, what to try. A path that does not
 * fit into the title is cut there, from the left, and stands below it.
 */
#ifndef ANALYZER_OUTPUT_TEXT_FINDING_H
#define ANALYZER_OUTPUT_TEXT_FINDING_H

#include "analyzer/report/result/result.h"
#include "analyzer/sources/sources.h"
#include "analyzer/text/out.h"
#include "analyzer/text/term.h"

/* Begins with an empty line. */
void text_finding(struct out *out, const struct term *term, const struct sources *sources,
	const struct finding *finding);

#endif
