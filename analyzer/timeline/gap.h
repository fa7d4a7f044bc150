/* SPDX-License-Identifier: MIT */
/*
 * Where code lies of which nothing was recorded: between the line of the last call before it and
 * the line of the first one after it. Lines of the program's script are preferred to native code,
 * which most calls have between them and the script. Not thread-safe.
 */
#ifndef ANALYZER_GAP_H
#define ANALYZER_GAP_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/read/lookup.h"
#include "analyzer/timeline/host.h"
#include "analyzer/timeline/spot.h"

struct gaps {
	struct spots *spots;
	const struct lookup *lookup;
	uint32_t script, native; /* the last places before what is looked at */
};

/* Index of the spot of the code between the pieces below before and those from after on. */
uint32_t gap_find(const struct gaps *gaps, const struct host *host, size_t before, size_t after);

/* Everything up to ns has been looked at. */
void gap_pass(struct gaps *gaps, const struct host *host, uint64_t ns);

#endif
