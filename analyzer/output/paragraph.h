/* SPDX-License-Identifier: MIT */
/*
 * Text in lines that fit the terminal. Lines break at blanks, but a number stays with its unit;
 * what is not printable is shown as such. Nothing is written after the last word.
 */
#ifndef ANALYZER_OUTPUT_PARAGRAPH_H
#define ANALYZER_OUTPUT_PARAGRAPH_H

#include "analyzer/text/out.h"

/* From column on in the first line; later ones begin behind indent blanks. */
void paragraph_print(struct out *out, size_t width, const char *text, size_t column, size_t indent);

#endif
