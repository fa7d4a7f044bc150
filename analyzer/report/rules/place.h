/* SPDX-License-Identifier: MIT */
/*
 * Where a finding is: file, line, function and operator, and "where", the short form for
 * sentences: train.py:12, or module(function) of native code.
 */
#ifndef ANALYZER_REPORT_RULES_PLACE_H
#define ANALYZER_REPORT_RULES_PLACE_H

#include "analyzer/report/rules/row.h"

void place_of_line(const struct subject *subject, struct finding *finding);

/* A gap that ends at the line where it began: what lies between two calls there. */
bool place_is_around(const struct spot *spot);

/* The line that asks for data: of the loader's range, else of the read that blocked longest. */
void place_of_input(const struct subject *subject, struct finding *finding);

#define PLACE_LOOP "the loop"

/* A place of the trace, 0: none; otherwise: what it is called when nobody knows it. */
void place_of_id(
	const struct report *report, uint32_t id, const char *otherwise, struct finding *finding);

/* The line of a package, behind place_of_id() of the same place; nothing where there is none. */
void place_through_library(const struct report *report, uint32_t id, struct finding *finding);

/*
 * The name of a package that waits or copies below the line of that spot, *ret_length bytes that no
 * zero ends; NULL: none is known.
 */
const char *place_package(const struct report *report, const struct spot *at, size_t *ret_length);

/* The line of that spot, or the loop. */
void place_of_launches(const struct report *report, uint32_t spot, struct finding *finding);

/* The innermost line of the program of a place. */
void place_of_caller(const struct report *report, const struct meta_PLACE *place,
	struct finding_caller *ret_caller);

/* No line in particular. */
void place_of_loop(struct finding *finding);

#endif
