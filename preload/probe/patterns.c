/* SPDX-License-Identifier: MIT */
#include "preload/probe/patterns.h"

#include <stdio.h>
#include <string.h>

#include "collector/format/symbol.h"

static bool parse(const char *text, size_t length, struct pattern *ret_pattern)
{
	const char *colon = memchr(text, ':', length);
	if (colon == NULL || colon == text || colon + 1 == text + length)
		return false;
	*ret_pattern = (struct pattern){.library = text,
		.library_length = (size_t)(colon - text),
		.function = colon + 1,
		.function_length = (size_t)(text + length - colon - 1)};
	return true;
}

void patterns_read(const char *list, struct patterns *ret_patterns, const char **ret_bad)
{
	static const char between[] = "; \t\n";
	ret_patterns->count = 0;
	*ret_bad = NULL;
	for (list += strspn(list, between); *list != '\0'; list += strspn(list, between)) {
		size_t length = strcspn(list, between);
		bool fits = ret_patterns->count < PATTERNS_LIMIT &&
			    parse(list, length, &ret_patterns->items[ret_patterns->count]);
		ret_patterns->count += fits;
		if (!fits && *ret_bad == NULL)
			*ret_bad = list;
		list += length;
	}
}

void patterns_restart(struct patterns *patterns)
{
	for (unsigned i = 0; i < patterns->count; i++) {
		struct pattern *pattern = &patterns->items[i];
		pattern->libraries = pattern->functions = 0;
		pattern->refused = NULL;
	}
}

static bool fits_library(const struct pattern *pattern, const char *file)
{
	return symbol_fits_library(pattern->library, pattern->library_length, file);
}

bool patterns_want_library(struct patterns *patterns, const char *file)
{
	bool wanted = false;
	for (unsigned i = 0; i < patterns->count; i++)
		if (fits_library(&patterns->items[i], file)) {
			patterns->items[i].libraries++;
			wanted = true;
		}
	return wanted;
}

bool patterns_want(struct patterns *patterns, const char *file, const char *symbol)
{
	bool wanted = false;
	for (unsigned i = 0; i < patterns->count; i++) {
		struct pattern *pattern = &patterns->items[i];
		if (!fits_library(pattern, file) ||
			!symbol_fits_function(pattern->function, pattern->function_length, symbol))
			continue;
		const char *refused = symbol_refused(file, symbol);
		if (refused != NULL)
			pattern->refused = refused;
		pattern->functions += refused == NULL;
		wanted |= refused == NULL;
	}
	return wanted;
}

static const char *why_nothing(const struct pattern *pattern)
{
	if (pattern->libraries == 0)
		return "no such library was loaded";
	return pattern->refused != NULL ? pattern->refused : "no such function there";
}

void patterns_describe(const struct patterns *patterns, char *ret_text, size_t size)
{
	size_t at = 0;
	ret_text[0] = '\0';
	for (unsigned i = 0; i < patterns->count && at < size; i++) {
		const struct pattern *pattern = &patterns->items[i];
		if (pattern->functions > 0 && pattern->refused == NULL)
			continue;
		int length = snprintf(ret_text + at, size - at, "%s%.*s:%.*s: %s%s",
			at > 0 ? "; " : "", (int)pattern->library_length, pattern->library,
			(int)pattern->function_length, pattern->function,
			pattern->functions > 0 ? "not all: " : "",
			pattern->functions > 0 ? pattern->refused : why_nothing(pattern));
		at += length > 0 ? (size_t)length : size;
	}
}
