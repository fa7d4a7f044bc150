/* SPDX-License-Identifier: MIT */
/*
 * What is known by the id of a name (sums.h): the words in it, read once, and what was counted of
 * the kernel that has it.
 */
#ifndef ANALYZER_FACTS_NAME_H
#define ANALYZER_FACTS_NAME_H

#include "analyzer/facts/sums.h"

/* NULL: no memory, or an id that is not looked at. */
struct fact_name *facts_name(struct facts *facts, uint32_t id);

/* Bits of enum word_class. */
unsigned facts_words(const char *text);

static inline void fact_vote(struct fact_vote *vote, uint32_t value)
{
	if (vote->lead == 0 && vote->value != value) {
		vote->value = value;
		vote->hits = 0;
	}
	if (vote->value == value) {
		vote->lead++;
		vote->hits++;
	} else {
		vote->lead--;
	}
}

#endif
