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

/*
 * A copy, to be freed, in which the values of these members of the outermost object are null; as
 * many lines as before, so that what is wrong further on keeps its place. NULL: there is no such
 * member, it is not closed, or memory is short; the document itself is what there is to read.
 */
char *thin_out(
	const char *bytes, size_t size, const char *const *members, size_t count, size_t *ret_size);

#endif
