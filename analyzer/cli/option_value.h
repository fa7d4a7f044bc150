/* SPDX-License-Identifier: MIT */
/*
 * The text of one option turned into its typed value: choices, times with units,
 * ranges of numbers, lists. Pure parsing, no table and no messages; options.c
 * says what is wrong. Texts stay where they were; lists and ranges are owned by
 * the value.
 */
#ifndef ANALYZER_OPTION_VALUE_H
#define ANALYZER_OPTION_VALUE_H

#include "analyzer/cli/options.h"

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
