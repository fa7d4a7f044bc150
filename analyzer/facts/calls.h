/* SPDX-License-Identifier: MIT */
/*
 * Sums over the calls of a thread (sums.h): which kernels it launches from where, what it copies
 * and sets, and reads of files by any thread.
 */
#ifndef ANALYZER_FACTS_CALLS_H
#define ANALYZER_FACTS_CALLS_H

#include "analyzer/facts/thread.h"

void facts_launch(struct facts *facts, struct facts_thread *thread, const struct record *record);
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
