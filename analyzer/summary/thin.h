/* SPDX-License-Identifier: MIT */
/*
 * A document in JSON without some of its members, whose values nobody is going to read: of a large
 * report the tables are nine tenths, of a long one the steps one by one, and a parser would take
 * its time over them. Pure functions.
 */
#ifndef ANALYZER_SUMMARY_THIN_H
#define ANALYZER_SUMMARY_THIN_H

#include <stdbool.h>
#include <stddef.h>

#define THIN_LEAST 4u /* bytes but for ends of lines: what is shorter stays */

/*
 * A copy, to be freed, in which the values of these members (the last one is NULL) of the outermost
 * object are null; as many lines as before, so that what is wrong further on keeps its place. NULL:
 * there is no such member, it is not closed, or memory is short; the document itself is what there
 * is to read.
 */
char *thin_out(const char *bytes, size_t size, const char *const *members, size_t *ret_size);

/* Behind the object or array that begins at at, or behind a plain value; end: it is not closed. */
const char *thin_skip(const char *at, const char *end);

#endif
