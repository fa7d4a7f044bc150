/* SPDX-License-Identifier: MIT */
/*
 * Lines that fit the terminal. A line that is too long goes on below, behind some blanks, and
 * breaks between words; only a word that is longer than a line, a name of C++, breaks in itself.
 *
 * Pure but for what is written to out. Not thread-safe.
 */
#ifndef ANALYZER_COMPARE_FOLD_H
#define ANALYZER_COMPARE_FOLD_H

#include <stddef.h>

#include "analyzer/text/out.h"

/*
 * Write size bytes of text: lines of UTF-8 without control characters; 0: nothing. A line that
 * begins with a blank goes on in the column row, every other one in the fourth. width: columns of
 * the terminal, more than row.
 */
void fold_lines(struct out *out, const char *text, size_t size, size_t width, size_t row);

#endif
