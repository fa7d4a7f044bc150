/* SPDX-License-Identifier: MIT */
/*
 * A row of the optimisation log: made of the runs of an attempt, and held against earlier rows.
 * Not thread-safe.
 */
#ifndef ANALYZER_LOGBOOK_ATTEMPT_H
#define ANALYZER_LOGBOOK_ATTEMPT_H

#include "analyzer/logbook/logbook.h"
#include "analyzer/summary/summary.h"

#define ATTEMPT_RUNS 5u /* fewer say little of how far runs of one program lie apart */

/*
 * The row of one run and more, all of one program. Without text and samples. False: no run tells
 * how long its steps are.
 */
bool attempt_of(const struct summary *runs, size_t count, struct logbook_attempt *ret_attempt);

/* The log has no program yet: it takes the run's. */
void attempt_begin(struct logbook *log, const struct summary *run);

/* Why the run is none of the log's program, into buffer; NULL: it is. */
const char *attempt_refuses(
	const struct logbook *log, const struct summary *run, char *buffer, size_t size);

/*
 * How many times as fast as an earlier attempt: by samples where both name theirs, else by steps.
 * 0: not known, since only one names them, or steps take in different amounts of data.
 */
double attempt_speed(const struct logbook_attempt *attempt, const struct logbook_attempt *earlier);

#endif
