/* SPDX-License-Identifier: MIT */
/*
 * Texts put together piece by piece in a buffer, for what every start needs. Formatting by libc
 * would be shorter to write, but a program that ends at once would pay for its pages: each page
 * that is touched first costs more than a thousand instructions.
 *
 * Any thread; nothing is kept.
 */
#ifndef PRELOAD_START_TEXT_H
#define PRELOAD_START_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	char *bytes; /* always with a terminator once something was put */
	size_t size, length;
};

/* Append, cut where there is no room. size must not be 0. */
void text_put(struct text *text, const char *more);

/* The same with a number in decimal, of so many digits at least. */
void text_put_number(struct text *text, uint64_t number, unsigned digits);

/*
 * A whole number as strtol() reads one: blanks and a sign may come first, base is at most 10. 0, or
 * -ERR_BAD_VALUE when there is anything else or it is not within the limits.
 */
int text_number(const char *text, int base, long least, long most, long *ret_number);

#endif
