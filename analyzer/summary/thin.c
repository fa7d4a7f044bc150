/* SPDX-License-Identifier: MIT */
#include "analyzer/summary/thin.h"

#include <stdlib.h>
#include <string.h>

#define NOTHING "null" /* what stands for a value */

_Static_assert(sizeof(NOTHING) - 1 <= THIN_LEAST, "there is room for it and the lines");

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
		at++;
	return at;
}

/* Behind the string that begins at at; end: it is not closed. */
static const char *skip_string(const char *at, const char *end)
{
	const char *quote = at + 1;
	while (quote < end && (quote = memchr(quote, '"', (size_t)(end - quote))) != NULL) {
		const char *before = quote;
		while (before[-1] == '\\')
			before--;
		if ((quote - before) % 2 == 0)
			return quote + 1;
		quote++;
	}
	return end;
}

/* Bytes that matter outside of a string. */
static const bool marks[256] = {
	['"'] = true, ['{'] = true, ['['] = true, ['}'] = true, [']'] = true, [','] = true};

const char *thin_skip(const char *at, const char *end)
{
	size_t depth = 0;
	for (;;) {
		while (at < end && !marks[(unsigned char)*at])
			at++;
		if (at == end)
			return end;
		if (*at == '"') {
			at = skip_string(at, end);
			continue;
		}
		depth += *at == '{' || *at == '[';
		bool closes = *at == '}' || *at == ']';
		if (depth == 0 && (closes || *at == ','))
			return at;
		at++;
		if (closes && --depth == 0)
			return at;
	}
}

/* The value of the member that begins at at; end: there is none. */
static const char *value_of(const char *at, const char *end, const char **ret_key)
{
	*ret_key = at = skip_blanks(at, end);
	if (at == end || *at != '"')
		return end;
	at = skip_blanks(skip_string(at, end), end);
	return at < end && *at == ':' ? skip_blanks(at + 1, end) : end;
}

/* The key that begins there, with its quotes, is one of the members. */
static bool is_member(const char *key, const char *end, const char *const *members)
{
	for (; *members != NULL; members++) {
		size_t length = strlen(*members);
		if ((size_t)(end - key) > length + 2 && memcmp(key + 1, *members, length) == 0 &&
			key[length + 1] == '"')
			return true;
	}
	return false;
}

/* Lines that end in a value. */
static size_t lines_of(const char *at, const char *behind)
{
	size_t lines = 0;
	for (; (at = memchr(at, '\n', (size_t)(behind - at))) != NULL; at++)
		lines++;
	return lines;
}

char *thin_out(const char *bytes, size_t size, const char *const *members, size_t *ret_size)
{
	const char *end = bytes + size, *kept = bytes, *at = skip_blanks(bytes, end);
	char *thin = at < end && *at == '{' ? malloc(size) : NULL;
	char *to = thin;
	for (bool more = thin != NULL; more;) {
		const char *key, *value = value_of(at + 1, end, &key);
		const char *behind = thin_skip(value, end);
		if (behind == end)
			break;
		size_t lines = 0;
		bool found = is_member(key, end, members);
		if (found)
			lines = lines_of(value, behind);
		if (found && (size_t)(behind - value) >= THIN_LEAST + lines) {
			to = mempcpy(to, kept, (size_t)(value - kept));
			to = mempcpy(to, NOTHING, strlen(NOTHING));
			memset(to, '\n', lines);
			to += lines;
			kept = behind;
		}
		at = skip_blanks(behind, end);
		more = at < end && *at == ',';
	}
	if (kept == bytes) {
		free(thin);
		return NULL;
	}
	memcpy(to, kept, (size_t)(end - kept));
	*ret_size = (size_t)(to - thin) + (size_t)(end - kept);
	return thin;
}
