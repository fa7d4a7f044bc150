/* SPDX-License-Identifier: MIT */
/*
 * What the steps of a run did, as sums that compare with another run's: the part of a JSON report
 * that `compare` and `check` read (analyzer/summary). All numbers are whole and over the same
 * steps, of which it says how many there are. Not thread-safe.
 */
#ifndef ANALYZER_OUTPUT_COUNTS_COUNTS_H
#define ANALYZER_OUTPUT_COUNTS_COUNTS_H

#include "analyzer/counts/counts.h"
#include "analyzer/report/result/result.h"
#include "analyzer/sources/sources.h"
#include "analyzer/text/json.h"

/*
 * The member "counts" of an object that is open; null where counts or lookup (texts as they are to
 * be shown) is NULL. sources NULL: no lines of the program are known.
 */
void output_counts_json(struct json *json, const struct report *report, const struct counts *counts,
	const struct lookup *lookup, const struct sources *sources);

#endif
