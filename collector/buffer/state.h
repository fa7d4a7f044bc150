/* SPDX-License-Identifier: MIT */
/*
 * What the file says about the recording itself: states of sources, versions, settings,
 * and running counters. Any thread may add at any time, before the collector has
 * started too; the drain thread writes what is new. Texts are copied into a bounded
 * table that only grows; what does not fit is dropped. A state that is the same as the last one
 * of that name is not added again. Survives a fork: the child's file says it all again.
 */
#ifndef COLLECTOR_BUFFER_STATE_H
#define COLLECTOR_BUFFER_STATE_H

#include <stdint.h>

#include "collector/format/definition.h"

#define STATE_LIMIT       512u
#define STATE_NAME_BYTES  64u
#define STATE_VALUE_BYTES 64u
#define STATE_TEXT_BYTES  256u

/*
 * META_SOURCE (value: state, text: reason), META_VERSION, META_SETTING or META_METADATA (text),
 * META_WORKER (name: number, value: count).
 */
void state_add(enum meta_kind kind, const char *name, const char *value, const char *text);

/* States so far; those of a number below it may still be unfinished. */
unsigned state_count(void);

/* State number index as a map, texts valid for ever. Returns 1, or 0 while it is not complete. */
int state_get(unsigned index, struct meta *ret_meta);

/*
 * Which of how many processes of a job this one is, where the environment did not say: as many as
 * the largest group that it was told of. Groups of that size in which it has several ranks, or
 * another in each, leave it unknown again.
 */
void state_learn_rank(unsigned rank, unsigned ranks);

/* -1: not known. ret_ranks may be NULL. */
int64_t state_rank(int64_t *ret_ranks);

enum state_counter {
#define COUNTER(NAME, name) COUNTER_##NAME,
#include "collector/buffer/counter.def"
#undef COUNTER
	COUNTER_COUNT
};

/* Running counters. */
void state_count_up(enum state_counter counter, uint64_t more);
uint64_t state_counter(enum state_counter counter);
const char *state_counter_name(enum state_counter counter); /* in the file */

/* In the child of a fork: counters begin again, and its rank is its own. */
void state_forget(void);

#endif
