/* SPDX-License-Identifier: MIT */
/*
 * Text of a trace, made harmless for what reads the output. A trace is the work of another program,
 * maybe of a stranger: its names may hold terminal escapes, markup, formulas, broken UTF-8. One
 * function for each output, and no output without one: out_printable() (out.h) for terminals,
 * json_quote() (json.h) for JSON and the page, these for the rest. What is broken becomes U+FFFD,
 * out_control() says what is control. Texts are terminated; none may be NULL.
 */
#ifndef ANALYZER_SAFE_H
#define ANALYZER_SAFE_H

#include "analyzer/text/out.h"

/* A cell of RFC 4180: in quotes when it must be; what a spreadsheet would compute begins with '. */
void safe_csv(struct out *out, const char *text);

/* In a paragraph or a cell of a table: markup is escaped, control characters become blanks. */
void safe_markdown(struct out *out, const char *text);

/* An attribute or element; what XML cannot hold and control characters become "?". */
void safe_xml(struct out *out, const char *text);

/* A frame of a folded stack: no semicolon and no control characters. */
void safe_frame(struct out *out, const char *text);

/* For formats with lengths: valid UTF-8, cut where it fits. Returns its bytes; terminated. */
size_t safe_utf8(const char *text, char *ret_copy, size_t size);

#endif
