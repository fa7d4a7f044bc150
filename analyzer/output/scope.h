/* SPDX-License-Identifier: MIT */
/*
 * What of a process its report is about: the job that it is part of, the thread whose steps they
 * are, and which of them were recorded. In words, and as members of the JSON objects that tell of
 * the run and of the steps.
 */
#ifndef ANALYZER_OUTPUT_SCOPE_H
#define ANALYZER_OUTPUT_SCOPE_H

#include "analyzer/output/output.h"
#include "analyzer/text/json.h"

/* Whole lines; nothing where nothing is known. */
void output_scope_text(struct out *out, const struct term *term, const struct output_run *run,
	const struct report *report);

/* Inside an open object. */
void output_scope_json(
	struct json *json, const struct output_run *run, const struct report *report);
void output_scope_steps_json(struct json *json, const struct report *report);

#endif
