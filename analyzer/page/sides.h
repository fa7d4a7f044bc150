/* SPDX-License-Identifier: MIT */
/*
 * A comparison to look at: the same page, with two sides on one scale in place of a report. Not
 * thread-safe; write errors are found when the output is closed.
 */
#ifndef ANALYZER_PAGE_SIDES_H
#define ANALYZER_PAGE_SIDES_H

#include "analyzer/text/out.h"

/* comparison: its JSON, in memory, empty afterwards. 0 or -ENOMEM. */
int page_print_sides(struct out *out, struct out *comparison, const char *version);

#endif
