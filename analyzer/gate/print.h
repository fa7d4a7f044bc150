/* SPDX-License-Identifier: MIT */
/*
 * A check's result in each of its forms: for a terminal, for programs, for a page (markdown), for
 * what shows tests (JUnit) and for what marks lines of code (SARIF 2.1.0). They only print.
 */
#ifndef ANALYZER_GATE_PRINT_H
#define ANALYZER_GATE_PRINT_H

#include "analyzer/gate/result.h"
#include "analyzer/text/out.h"
#include "analyzer/text/term.h"

void print_text(struct out *out, const struct term *term, const struct gate_result *result);
void print_json(struct out *out, const struct gate_result *result);
void print_markdown(struct out *out, const struct gate_result *result);
void print_junit(struct out *out, const struct gate_result *result);

/* Failures without a line below the root stay out: there is nothing to mark. */
void print_sarif(struct out *out, const struct gate_result *result, const char *version);

/* "train.py:36 in main (aten::item)", or "the run as a whole", into buffer; returns it. */
const char *print_where(const struct gate_failure *failure, char *buffer, size_t size);

/* The sentence of a failure, without its place: "syncs: was 0, is 1 per step". */
const char *print_sentence(const struct gate_failure *failure, char *buffer, size_t size);

#endif
