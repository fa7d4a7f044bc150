/* SPDX-License-Identifier: MIT */
/*
 * Sums over the calls of a thread (sums.h): which kernels it launches from where, what it copies
 * and sets, and reads of files by any thread.
 */
#ifndef ANALYZER_FACTS_CALLS_H
#define ANALYZER_FACTS_CALLS_H

#include "analyzer/facts/name.h"
#include "analyzer/facts/thread.h"
#include "collector/format/fields.h"

/* Room for one more launch of the thread, or in place of the oldest; false: no memory at all. */
bool facts_make_room(struct facts_thread *thread);

/* Work for the device, of a kernel that has a name or of none, 0. */
static inline void facts_remember(
	struct facts_thread *thread, const struct record *record, uint32_t name)
{
	thread->filled = false;
	thread->captures = (record_flags(record) & RECORD_CAPTURED) != 0;
	if (__builtin_expect(thread->launched == thread->capacity, 0) && !facts_make_room(thread))
		return;
	struct fact_launch *launch = &thread->launches[thread->launched++ & (thread->capacity - 1)];
	launch->begin_ns = record->begin;
	launch->name = name;
	launch->named = false;
}

static inline void facts_launch(
	struct facts *facts, struct facts_thread *thread, const struct record *record)
{
	struct fact_name *name = facts_name(facts, record->name);
	facts_remember(thread, record, record->name);
	if (name == NULL)
		return;
	name->launches++;
	name->told += !facts->bare;
	fact_vote(&name->place, record->place);
}

void facts_copy(struct facts *facts, struct facts_thread *thread, const struct record *record);
void facts_set(struct facts *facts, struct facts_thread *thread, const struct record *record);

/* Reads of files by any thread. */
void facts_read(struct facts *facts, const struct record *record);

/* Where the main thread blocks, and processor time of the process. */
/* A message between processes (QUEUE). 0 or -ENOMEM. */
int facts_message(struct facts *facts, const struct record *record);

void facts_wait(struct facts *facts, const struct record *record);
void facts_sample(struct facts *facts, const struct record *record);
void facts_thread_sample(struct facts *facts, const struct record *record);
void facts_stack(struct facts *facts, const struct record *record);

#endif
