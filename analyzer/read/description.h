/* SPDX-License-Identifier: MIT */
/*
 * The description of the traced process, kept while its trace is read: what a decoder gives out
 * lasts only until its next step. The last one sent holds.
 *
 * Not thread-safe; an all-zero struct is one that has not come yet.
 */
#ifndef ANALYZER_DESCRIPTION_H
#define ANALYZER_DESCRIPTION_H

#include <stdbool.h>

#include "collector/format/definition.h"

struct description {
	bool known;
	struct meta_RUN run; /* texts point into texts */
	char *texts;
};

void description_release(struct description *description);

/* Keep a copy in the place of what was kept before. 0 or -ENOMEM (nothing changed). */
int description_set(struct description *description, const struct meta_RUN *run);

#endif
