/* SPDX-License-Identifier: MIT */
/*
 * The memory of the device over time, as part of the JSON report. Not thread-safe.
 */
#ifndef ANALYZER_OUTPUT_MEMORY_H
#define ANALYZER_OUTPUT_MEMORY_H

#include "analyzer/report/result/result.h"
#include "analyzer/text/json.h"

/* An object "memory"; null where the run asked for none. */
void memory_print(struct json *json, const struct report *report);

#endif
