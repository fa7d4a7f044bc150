/* SPDX-License-Identifier: MIT */
/*
 * What may be said against a verdict, from one table (doubt.def): each row has a name that users
 * know and the confidence that it leaves at most. The ones that apply to a run stand beside its
 * verdict with a sentence each. Plain data.
 */
#ifndef ANALYZER_REPORT_RESULT_DOUBT_H
#define ANALYZER_REPORT_RESULT_DOUBT_H

enum confidence {
	CONFIDENCE_LOW,
	CONFIDENCE_MEDIUM,
	CONFIDENCE_HIGH,
	CONFIDENCE_COUNT
};

enum doubt_id {
#define DOUBT(id, name, most, text) DOUBT_##id,
#include "analyzer/report/result/doubt.def"
#undef DOUBT
	DOUBT_COUNT
};

struct doubt_info {
	const char *name;
	enum confidence most;
	const char *text;
};

extern const struct doubt_info doubt_infos[DOUBT_COUNT];
extern const char *const confidence_names[CONFIDENCE_COUNT];

struct doubt {
	enum doubt_id id;
	char text[160]; /* follows "because" */
};

#endif
