/* SPDX-License-Identifier: MIT */
/*
 * Which operator put a function into the backward pass: both have the same number of the same
 * thread's count. An operator has the count's value at its begin, and a function the thread that
 * counted: fields are compared with that before they are believed.
 */
#ifndef PRELOAD_TORCH_SEQUENCE_H
#define PRELOAD_TORCH_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/value.h"
#include "preload/operators/operators.h"

#define SEQUENCE_AT 0xc8u /* of an at::RecordFunction, from PyTorch 1.13 on */

/* numbered: operators, linked: functions too; 0 while that is not proved, or not so. */
struct sequence {
	bool numbered, linked;
	bool unproved; /* one of them is still to be compared */
	uint16_t forward_at;
};
extern struct sequence sequence __attribute__((visibility("hidden")));

/* The text of the version that is loaded. */
void sequence_begin(const char *version);

/* Compare, until enough was the same. */
void sequence_prove(const void *record, unsigned scope, int64_t number, struct operators *own);

/* The number of the operator that begins last on the calling thread. */
void sequence_note(int64_t number, struct operators *own, struct operator_open *open);

/* The line of an operator that ends, if it has put a function into the backward pass. */
void sequence_end(struct operator_open *ended);

/* What record has in the place of it; below 0: none. */
static inline int64_t sequence_number(const void *record)
{
	return *(const int64_t *)(const void *)((const char *)record + SEQUENCE_AT);
}

/* What record says of the operator that begins, or of the function. */
static inline void sequence_read(
	const void *record, unsigned scope, struct operators *own, struct operator_open *open)
{
	const char *bytes = record;
	int64_t number = sequence_number(record);
	if (number < 0)
		return;
	if (__builtin_expect(sequence.unproved, 0))
		sequence_prove(record, scope, number, own);
	if (scope == OP_FUNCTION && sequence.numbered) {
		sequence_note(number, own, open);
	} else if (scope == OP_BACKWARD_FUNCTION && sequence.linked) {
		open->sequence = (uint32_t)number;
		open->forward = *(const uint32_t *)(const void *)(bytes + sequence.forward_at);
	}
}

#endif
