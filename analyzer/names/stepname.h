/* SPDX-License-Identifier: MIT */
/*
 * The name by which a user says where steps end: which ids have it, and how often the others came,
 * to say which names there are where it never came. Not thread-safe; an all-zero struct has seen
 * nothing.
 */
#ifndef ANALYZER_STEPNAME_H
#define ANALYZER_STEPNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/read/lookup.h"
#include "collector/base/vec.h"

enum stepname_kind {
	STEPNAME_TEXT, /* of an operator or a range */
	STEPNAME_CALL,
	STEPNAME_KINDS
};

struct stepname {
	VEC(uint32_t) counts[STEPNAME_KINDS]; /* by id */
};

void stepname_release(struct stepname *names);

/* A name came. True: it is the wanted one. */
bool stepname_is(struct stepname *names, const struct lookup *lookup, const char *wanted,
	enum stepname_kind kind, uint32_t id);

/*
 * Up to most of the names that came: those that hold the wanted one or are held by it first, then
 * the most frequent. Returns how many.
 */
size_t stepname_others(const struct stepname *names, const struct lookup *lookup,
	const char *wanted, const char **ret_names, size_t most);

#endif
