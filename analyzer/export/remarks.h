/* SPDX-License-Identifier: MIT */
/*
 * What the report knows about one file and a time line shows: its steps, and its findings with the
 * lines that they name. Plain data, filled by who made the report; texts are copies.
 */
#ifndef ANALYZER_EXPORT_REMARKS_H
#define ANALYZER_EXPORT_REMARKS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/vec.h"

struct remarks_step {
	uint64_t number, begin_ns, end_ns;
};

struct remarks_finding {
	char *title, *evidence, *advice; /* owned */
	char *file;                      /* owned; NULL: no line */
	uint64_t line;
};

struct remarks {
	VEC(struct remarks_step) steps;
	VEC(struct remarks_finding) findings;
	bool only_steps; /* what is outside of them is left out */
};

void remarks_release(struct remarks *remarks);

/* 0 or -ENOMEM. The texts are copied; file may be NULL. */
int remarks_add_finding(struct remarks *remarks, const struct remarks_finding *finding);

/* Whether something of that time is to be shown. */
bool remarks_want(const struct remarks *remarks, uint64_t begin_ns, uint64_t end_ns);

/* The first finding that names the line; NULL: none does. */
const struct remarks_finding *remarks_at(
	const struct remarks *remarks, const char *file, uint64_t line);

#endif
