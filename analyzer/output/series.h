/* SPDX-License-Identifier: MIT */
/*
 * The steps of a run one by one, as columns: the members "series" and "workers" of a JSON report,
 * inside an object that is open. Not thread-safe.
 */
#ifndef ANALYZER_OUTPUT_SERIES_H
#define ANALYZER_OUTPUT_SERIES_H

#include "analyzer/output/output.h"
#include "analyzer/text/json.h"

/* null where the history of the process was not collected. */
void series_json(struct json *json, const struct process *traced, const struct report *report);

/* The processes that the one of the report has started; null: none are known. */
void series_workers_json(struct json *json, const struct report *report);

#endif
