/* SPDX-License-Identifier: MIT */
/*
 * Sums over the operators and ranges of a thread (sums.h). A range ends after all that lies in it,
 * so what it launched is what the thread remembers since its begin.
 */
#ifndef ANALYZER_FACTS_OPS_H
#define ANALYZER_FACTS_OPS_H

#include "analyzer/facts/thread.h"

/* An operator ended, after all that lies in it. 0 or -ENOMEM. */
int facts_op(struct facts *facts, struct facts_thread *thread, const struct record *record);

#endif
