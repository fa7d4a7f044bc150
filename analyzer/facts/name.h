/* SPDX-License-Identifier: MIT */
/*
 * What is known by the id of a name (sums.h): the words in it, read once, and what was counted of
 * the kernel that has it.
 */
#ifndef ANALYZER_FACTS_NAME_H
#define ANALYZER_FACTS_NAME_H

#include "analyzer/facts/sums.h"

/* The name that has not been looked at before; as facts_name(). */
struct fact_name *facts_new_name(struct facts *facts, uint32_t id);

/* NULL: no memory, or an id that is not looked at. */
static inline struct fact_name *facts_name(struct facts *facts, uint32_t id)
{
	if (id < facts->names.count && facts->names.items[id].words != 0)
		return &facts->names.items[id];
	return facts_new_name(facts, id);
}

/* Bits of enum word_class. */
unsigned facts_words(const char *text);

/* Without a branch: which value comes next is as good as chance. */
static inline void fact_vote(struct fact_vote *vote, uint32_t value)
{
	bool takes = (vote->lead == 0) & (vote->value != value);
	uint32_t hits = takes ? 0 : vote->hits;
	vote->value = takes ? value : vote->value;
	bool same = vote->value == value;
	vote->hits = hits + same;
	vote->lead += 2 * (uint32_t)same - 1;
}

#endif
