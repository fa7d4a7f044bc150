/* SPDX-License-Identifier: MIT */
/*
 * The rows of a run beside those of a baseline: the same key first; of what is left over, lines of
 * the same function and operator, whose text was changed. Rows stay where they are. Not
 * thread-safe.
 */
#ifndef ANALYZER_GATE_MATCH_H
#define ANALYZER_GATE_MATCH_H

#include "analyzer/gate/row.h"

/* One that differs. was or is NULL: there is none. */
struct match_pair {
	const struct gate_row *was, *is;
	uint64_t was_total, is_total; /* of all rows that the pair stands for */
	uint64_t is_lines; /* of the run, of which any may be the one; 0: there is none */
};
typedef VEC(struct match_pair) match_pairs;

/* The rows that differ, in the order of their keys. 0 or -ENOMEM. */
int match_rows(const gate_rows *was, const gate_rows *is, uint64_t was_steps, uint64_t is_steps,
	match_pairs *ret_pairs);

#endif
