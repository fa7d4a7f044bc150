/* SPDX-License-Identifier: MIT */
/*
 * The text of one option turned into its typed value: choices, times with units,
 * ranges of numbers, lists. Pure parsing, no table and no messages; options.c
 * says what is wrong. Texts stay where they were; lists and ranges are owned by
 * the value.
 */
#ifndef ANALYZER_OPTION_VALUE_H
#define ANALYZER_OPTION_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/vec.h"

enum option_type {
	OPTION_TYPE_FLAG,
	OPTION_TYPE_TEXT,
	OPTION_TYPE_CHOICE, /* one of choices */
	OPTION_TYPE_TIME,   /* 1.5s, 20ms, 3us, 7ns; seconds without a unit */
	OPTION_TYPE_RANGES, /* 3, 10-30, 10+20 (twenty from 10), several with commas */
	OPTION_TYPE_LIST,   /* may be given more than once */
	OPTION_TYPE_WORDS,  /* none, or some of the tables: --name or --name=a,b */
};

struct option_range {
	uint64_t first, last; /* both included */
};

struct option_value {
	bool given;
	const char *text; /* as written, or the fallback, or NULL */
	uint64_t number;  /* TIME: nanoseconds */
	VEC(const char *) list;
	VEC(struct option_range) ranges;
};

/*
 * Set value from text; given again, lists grow and the rest is replaced. 0, -ERR_BAD_VALUE or
 * -ENOMEM.
 */
int option_value_parse(
	struct option_value *value, enum option_type type, const char *choices, const char *text);
void option_value_release(struct option_value *value);

/* "1.5s", "20ms", "3us", "7ns"; seconds without a unit. 0 or -ERR_BAD_VALUE. */
int option_parse_time(const char *text, uint64_t *ret_ns);

#endif
