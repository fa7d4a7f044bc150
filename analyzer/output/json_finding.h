/* SPDX-License-Identifier: MIT */
/*
 * The findings of the JSON report, and its two kinds of numbers that may not be known: then they
 * are null, never 0.
 */
#ifndef ANALYZER_OUTPUT_JSON_FINDING_H
#define ANALYZER_OUTPUT_JSON_FINDING_H

#include "analyzer/report/result/result.h"
#include "analyzer/sources/sources.h"
#include "analyzer/text/json.h"

/* null: REPORT_UNKNOWN_PCT. */
void json_pct(struct json *json, const char *key, double pct);

/* null: not known, or REPORT_UNKNOWN. */
void json_ns(struct json *json, const char *key, uint64_t ns, bool known);

/* "findings": [...], with the lines around each that sources has. */
void json_findings(struct json *json, const struct sources *sources, const struct report *report);

#endif
