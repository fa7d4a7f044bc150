/* SPDX-License-Identifier: MIT */
#include "analyzer/names/opname.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* Ids above are not kept: a trace may use any. */
#define ID_LIMIT (1u << 20)

static const struct {
	const char *pattern;
	uint32_t class;
	char first, other; /* what a text that fits begins with; * of a leading star */
	char seventh;      /* its seventh letter, behind aten::, where the pattern has that many */
} opnames[] = {
#define AT(pattern, at)     ((pattern)[sizeof(pattern) > (at) ? (at) : 0])
#define LETTER(pattern, at) (AT(pattern, at) != '*' && AT(pattern, at) != '[')
#define OF_ATEN(pattern)                                                                           \
	(LETTER(pattern, 0) && LETTER(pattern, 1) && LETTER(pattern, 2) && LETTER(pattern, 3) &&   \
		AT(pattern, 4) == ':' && AT(pattern, 5) == ':' && LETTER(pattern, 6))
#define OPNAME(pattern, class)                                                                     \
	{pattern, OPCLASS_##class, (pattern)[0] == '[' ? (pattern)[1] : (pattern)[0],              \
		(pattern)[0] == '[' ? (pattern)[2] : (pattern)[0],                                 \
		OF_ATEN(pattern) ? AT(pattern, 6) : '\0'},
#include "analyzer/names/opname.def"
#undef OPNAME
};
#define SEVENTH 7u
#define OPNAMES (sizeof(opnames) / sizeof(opnames[0]))

/* By the first letter of a text: a bit for each that may fit. */
static uint64_t candidates[256][(OPNAMES + 63) / 64];
static pthread_once_t opnames_sorted = PTHREAD_ONCE_INIT;

static void sort_opnames(void)
{
	for (unsigned i = 0; i < OPNAMES; i++) {
		uint64_t bit = 1ull << i % 64;
		bool any = opnames[i].first == '*';
		for (unsigned letter = any ? 0 : 256; letter < 256; letter++)
			candidates[letter][i / 64] |= bit;
		candidates[(uint8_t)opnames[i].first][i / 64] |= bit;
		candidates[(uint8_t)opnames[i].other][i / 64] |= bit;
	}
}

void opname_release(struct opname_cache *cache)
{
	vec_release(&cache->classes);
}

/* Letters behind a leading star that are looked for before the whole is matched. */
static bool has(const char *text, const char *letters)
{
	for (const char *at = strchr(text, letters[0]); at != NULL; at = strchr(at + 1, letters[0]))
		if (at[1] == letters[1] && at[2] == letters[2] && at[3] == letters[3])
			return true;
	return false;
}

/* What comes before the first wildcard rules most patterns out, which is cheaper than a match. */
static bool begins_otherwise(const char *pattern, const char *text)
{
	if (pattern[0] == '*')
		return !has(text, pattern + 1);
	if (pattern[0] == '[')
		return false;
	while (*pattern != '\0' && *pattern != '*' && *pattern != '[')
		if (*pattern++ != *text++)
			return true;
	return false;
}

/* The pattern fits; *missing is a letter that the text is known not to have. */
static bool fits(unsigned index, const char *text, char *missing)
{
	const char *pattern = opnames[index].pattern;
	if (pattern[0] == '*' && pattern[1] == *missing)
		return false;
	if (pattern[0] == '*' && strchr(text, pattern[1]) == NULL) {
		*missing = pattern[1];
		return false;
	}
	return !begins_otherwise(pattern, text) && fnmatch(pattern, text, 0) == 0;
}

unsigned opname_class(const char *text)
{
	if (text == NULL || text[0] == '\0')
		return 0;
	const char seventh = strnlen(text, SEVENTH) < SEVENTH ? '\0' : text[6];
	char missing = '\0';
	(void)pthread_once(&opnames_sorted, sort_opnames);
	const uint64_t *words = candidates[(uint8_t)text[0]];
	for (unsigned word = 0; word < (OPNAMES + 63) / 64; word++)
		for (uint64_t left = words[word]; left != 0; left &= left - 1) {
			unsigned i = 64 * word + (unsigned)__builtin_ctzll(left);
			bool other = opnames[i].seventh != '\0' && opnames[i].seventh != seventh;
			if (!other && fits(i, text, &missing))
				return opnames[i].class;
		}
	return 0;
}

unsigned opname_lookup(struct opname_cache *cache, const struct lookup *lookup, uint32_t id)
{
	unsigned class = opname_class(lookup_text(lookup, id)) | OPCLASS_KNOWN;
	if (id >= ID_LIMIT)
		return class;
	size_t known = cache->classes.count;
	if (id >= known) {
		if (vec_reserve(&cache->classes, id + 1) < 0)
			return class;
		cache->classes.count = cache->classes.capacity;
		memset(cache->classes.items + known, 0,
			(cache->classes.count - known) * sizeof(*cache->classes.items));
	}
	cache->classes.items[id] = class;
	return class;
}
