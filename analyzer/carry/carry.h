/* SPDX-License-Identifier: MIT */
/*
 * Stands between the records of a process, in the order of their ends, and who takes them: passes
 * all on, and where operators were not recorded puts in those that enclosed the same calls where
 * they were. The same call is one of the same thread, place, kind and
 * kernel or function; it has an operator if three of four have one in the steps that tell, and the
 * operator's name if three of four have that.
 *
 * Memory is bounded: what does not fit, as the calls of threads beyond the first thousand, is not
 * carried over. Not thread-safe.
 */
#ifndef ANALYZER_CARRY_H
#define ANALYZER_CARRY_H

#include <stddef.h>
#include <stdint.h>

#include "collector/format/record.h"

struct carry_sink {
	void *context;
	/* Records as they came. 0 or -ENOMEM, as the other. */
	int (*take)(void *context, uint32_t thread, const struct record *records, size_t count);
	/* An operator that was put in. */
	int (*put)(void *context, uint32_t thread, const struct record *op);
};

struct carry_counts {
	/* Where operators were not recorded; of these, known to be in an operator, or in none. */
	uint64_t calls, known;
};

struct carry;

struct carry *carry_new(const struct carry_sink *sink); /* NULL when out of memory */
void carry_free(struct carry *carry);                   /* NULL: nothing */

/* The next records, which are of one thread. 0 or -ENOMEM. */
int carry_add(struct carry *carry, uint32_t thread, const struct record *records, size_t count);

/* No more records. 0 or -ENOMEM. */
int carry_finish(struct carry *carry);

struct carry_counts carry_counts(const struct carry *carry);

#endif
