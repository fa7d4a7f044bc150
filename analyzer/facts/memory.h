/* SPDX-License-Identifier: MIT */
/* How much of the device's memory the process has asked for (sums.h). */
#ifndef ANALYZER_FACTS_MEMORY_H
#define ANALYZER_FACTS_MEMORY_H

#include "analyzer/facts/thread.h"

/* 0 or -ENOMEM. */
int facts_alloc(struct facts *facts, const struct record *record);

#endif
