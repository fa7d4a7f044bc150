/* SPDX-License-Identifier: MIT */
/*
 * The causes of the account of step time, from one table (cause.def). The account
 * is exclusive: every nanosecond of a step belongs to one cause, device work wins over
 * idle time, computing over communication over copies, and the causes of a step add
 * up to its length.
 */
#ifndef ANALYZER_CAUSE_H
#define ANALYZER_CAUSE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/steps/series.h"

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

/*
 * Who wants to see the account being made: every piece of time with its cause, and every cut, in
 * order of time. A restart forgets the cuts (better marks of steps were found), not the pieces.
 */
struct watch {
	void *context;
	void (*piece)(void *context, enum cause cause, uint64_t begin, uint64_t end);
	void (*cut)(void *context, enum step_cut cut, uint64_t step, uint64_t ns);
	void (*restart)(void *context);
};

extern const struct cause_info cause_infos[CAUSE_COUNT];

/* The line of the account; of the host alone where there is no GPU. */
const char *cause_text(enum cause cause, bool alone);

/* The same for a cause's name in a saved report; a name that is not known is its own line. */
const char *cause_words(const char *name, bool alone);

#endif
