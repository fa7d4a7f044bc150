/* SPDX-License-Identifier: MIT */
#include "analyzer/cli/option_value.h"

#include <errno.h>
#include <string.h>

#include "collector/base/err.h"

static bool is_choice(const char *choices, const char *text, size_t length)
{
	for (const char *at = choices; at != NULL && *at != '\0';) {
		size_t size = strcspn(at, "|");
		if (size == length && memcmp(at, text, size) == 0)
			return true;
		at += size + (at[size] == '|');
	}
	return false;
}

/* One or more choices with commas between them. */
static bool are_choices(const char *choices, const char *text)
{
	for (;;) {
		size_t length = strcspn(text, ",");
		if (length == 0 || !is_choice(choices, text, length))
			return false;
		text += length;
		if (*text++ == '\0')
			return true;
	}
}

/* Digits at *text, which moves behind them. */
static int parse_number(const char **text, uint64_t *ret_number)
{
	uint64_t number = 0;
	const char *at = *text;
	if (*at < '0' || *at > '9')
		return -ERR_BAD_VALUE;
	for (; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(number, 10u, &number) ||
			__builtin_add_overflow(number, (uint64_t)(*at - '0'), &number))
			return -ERR_BAD_VALUE;
	*text = at;
	*ret_number = number;
	return 0;
}

static uint64_t unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"", 1000000000}, {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].name, unit) == 0)
			return units[i].ns;
	return 0;
}

int option_parse_time(const char *text, uint64_t *ret_ns)
{
	uint64_t whole, ns;
	if (parse_number(&text, &whole) < 0)
		return -ERR_BAD_VALUE;
	const char *fraction = *text == '.' ? text + 1 : text;
	const char *unit = fraction + strspn(fraction, "0123456789");
	uint64_t scale = unit_ns(unit);
	if (scale == 0 || (*text == '.' && unit == fraction))
		return -ERR_BAD_VALUE;
	if (__builtin_mul_overflow(whole, scale, &ns))
		return -ERR_BAD_VALUE;
	for (uint64_t part = scale / 10; fraction < unit && *text == '.'; fraction++, part /= 10)
		ns += part * (uint64_t)(*fraction - '0');
	*ret_ns = ns;
	return 0;
}

static int parse_ranges(struct option_value *value, const char *text)
{
	value->ranges.count = 0;
	for (;;) {
		struct option_range range;
		if (parse_number(&text, &range.first) < 0)
			return -ERR_BAD_VALUE;
		range.last = range.first;
		char sign = *text;
		if (sign == '-' || sign == '+') {
			text++;
			if (parse_number(&text, &range.last) < 0)
				return -ERR_BAD_VALUE;
		}
		if (sign == '+' && (range.last == 0 || __builtin_add_overflow(range.first,
							       range.last - 1, &range.last)))
			return -ERR_BAD_VALUE;
		if (range.last < range.first)
			return -ERR_BAD_VALUE;
		int err = vec_push(&value->ranges, range);
		if (err < 0 || *text == '\0')
			return err;
		if (*text++ != ',')
			return -ERR_BAD_VALUE;
	}
}

int option_value_parse(
	struct option_value *value, enum option_type type, const char *choices, const char *text)
{
	int err = 0;
	if (type == OPTION_TYPE_CHOICE)
		err = is_choice(choices, text, strlen(text)) ? 0 : -ERR_BAD_VALUE;
	else if (type == OPTION_TYPE_TIME)
		err = option_parse_time(text, &value->number);
	else if (type == OPTION_TYPE_RANGES)
		err = parse_ranges(value, text);
	else if (type == OPTION_TYPE_LIST)
		err = vec_push(&value->list, text);
	else if (type == OPTION_TYPE_WORDS)
		err = are_choices(choices, text) ? 0 : -ERR_BAD_VALUE;
	else if (text[0] == '\0')
		err = -ERR_BAD_VALUE;
	if (err < 0)
		return err;
	value->given = true;
	value->text = text;
	return 0;
}

void option_value_release(struct option_value *value)
{
	vec_release(&value->ranges);
	vec_release(&value->list);
	*value = (struct option_value){0};
}
