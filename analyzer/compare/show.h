/* SPDX-License-Identifier: MIT */
/*
 * A comparison for a terminal, as markdown for a page, and as JSON (libtrace-compare/1). They only
 * print. Not thread-safe.
 */
#ifndef ANALYZER_COMPARE_SHOW_H
#define ANALYZER_COMPARE_SHOW_H

#include "analyzer/compare/compare.h"
#include "analyzer/text/out.h"
#include "analyzer/text/term.h"

#define SHOW_ROWS  10u /* of each part, in text and markdown */
#define SHOW_RANKS 16u

void show_text(struct out *out, const struct term *term, const struct comparison *comparison);
void show_markdown(struct out *out, const struct comparison *comparison);
void show_json(struct out *out, const struct comparison *comparison);

#endif
