/* SPDX-License-Identifier: MIT */
/*
 * The causes of the account of step time, from one table (cause.def). The account
 * is exclusive: every nanosecond of a step belongs to one cause, device work wins over
 * idle time, computing over communication over copies, and the causes of a step add
 * up to its length.
 */
#ifndef ANALYZER_CAUSE_H
#define ANALYZER_CAUSE_H

enum cause {
#define CAUSE(id, name, text, why) CAUSE_##id,
#include "analyzer/timeline/cause.def"
#undef CAUSE
	CAUSE_COUNT
};

struct cause_info {
	const char *name;
	const char *text; /* in the account */
	const char *why;  /* at the end of a sentence about the GPU */
};

extern const struct cause_info cause_infos[CAUSE_COUNT];

#endif
