/* SPDX-License-Identifier: MIT */
#include "preload/start/text.h"

#include "collector/base/err.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

void text_put(struct text *text, const char *more)
{
	size_t length = strnlen(more, text->size - 1 - text->length);
	memcpy(text->bytes + text->length, more, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

void text_put_number(struct text *text, uint64_t number, unsigned digits)
{
	char room[24];
	char *first = room + sizeof(room) - 1;
	*first = '\0';
	do {
		*--first = (char)('0' + number % 10);
		number /= 10;
		digits -= digits > 0;
	} while (first > room && (number > 0 || digits > 0));
	text_put(text, first);
}

int text_number(const char *text, int base, long least, long most, long *ret_number)
{
	text += strspn(text, " \t\n\v\f\r");
	bool is_negative = *text == '-';
	text += *text == '-' || *text == '+';
	long number = 0;
	const char *digit = text;
	for (; *digit >= '0' && *digit < '0' + base; digit++) {
		int value = *digit - '0';
		if (number > (LONG_MAX - value) / base)
			return -ERR_BAD_VALUE;
		number = number * base + value;
	}
	number = is_negative ? -number : number;
	if (digit == text || *digit != '\0' || number < least || number > most)
		return -ERR_BAD_VALUE;
	*ret_number = number;
	return 0;
}
