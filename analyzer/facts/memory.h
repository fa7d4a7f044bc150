/* SPDX-License-Identifier: MIT */
/*
 * How much of the device's memory the process has asked for (sums.h): blocks by their address, from
 * the begin of the run on, and in parts of the run. Blocks that were there before are not known.
 */
#ifndef ANALYZER_FACTS_MEMORY_H
#define ANALYZER_FACTS_MEMORY_H

#include "analyzer/facts/thread.h"

void facts_alloc(struct facts *facts, const struct record *record);

#endif
