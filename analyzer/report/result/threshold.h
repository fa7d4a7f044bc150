/* SPDX-License-Identifier: MIT */
/*
 * The limits that the report applies, from one table (threshold.def), and what the
 * user sets instead. Pure values; nothing here is read while a trace is.
 */
#ifndef ANALYZER_THRESHOLD_H
#define ANALYZER_THRESHOLD_H

#include <stdbool.h>

enum threshold_id {
#define THRESHOLD(id, name, value, unit, ...) THRESHOLD_##id,
#include "analyzer/report/result/threshold.def"
#undef THRESHOLD
	THRESHOLD_COUNT
};

struct threshold_info {
	const char *name;
	double value; /* the default */
	const char *unit;
	const char *text;
	const char *source; /* where the default comes from */
};

extern const struct threshold_info threshold_infos[THRESHOLD_COUNT];

struct thresholds {
	double values[THRESHOLD_COUNT];
	bool set[THRESHOLD_COUNT]; /* by the user */
};

/* All defaults. */
void thresholds_init(struct thresholds *thresholds);

/* Apply "NAME=VALUE". 0, -ERR_UNKNOWN_NAME, or -ERR_BAD_VALUE (no number, negative). */
int thresholds_set(struct thresholds *thresholds, const char *text);

#endif
