/* SPDX-License-Identifier: MIT */
/*
 * Samples as a viewer's counters. Most are running totals: what is shown is how fast they
 * grow, from one sample to the next. Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_EXPORT_COUNTERS_H
#define ANALYZER_EXPORT_COUNTERS_H

#include "analyzer/export/writer.h"
#include "collector/base/idmap.h"

#define COUNTERS_NAME 96u

struct counters {
	struct idmap last; /* by thread and metric */
};

void counters_release(struct counters *counters);

/*
 * What a SAMPLE or THREAD_SAMPLE says: 1 and *ret_counter, whose name is in text; 0: nothing yet,
 * it is the first of its total; -ENOMEM.
 */
int counters_take(struct counters *counters, const struct record *record,
	struct timeline_counter *ret_counter, char text[COUNTERS_NAME]);

#endif
