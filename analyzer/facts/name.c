/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/name.h"

#include <string.h>

enum where {
	IS,
	BEGINS,
	HAS
};

static const struct {
	const char *text;
	enum where where;
	unsigned class;
} words[] = {
#define WORD(where, text, class) {text, where, WORD_##class},
#include "analyzer/facts/word.def"
#undef WORD
};

/* Which two letters stand side by side in a name; it may say so of some that do not. */
struct pairs {
	uint64_t bits[16];
};

static unsigned pair_of(const char *text)
{
	return ((unsigned char)text[0] * 37u ^ (unsigned char)text[1] * 5u) % 1024;
}

static void find_pairs(struct pairs *pairs, const char *text)
{
	*pairs = (struct pairs){0};
	for (; text[0] != '\0' && text[1] != '\0'; text++)
		pairs->bits[pair_of(text) / 64] |= 1ull << pair_of(text) % 64;
}

static bool has_pair(const struct pairs *pairs, const char *text)
{
	return (pairs->bits[pair_of(text) / 64] >> pair_of(text) % 64 & 1) != 0;
}

static bool fits(enum where where, const char *name, const struct pairs *pairs, const char *text)
{
	if (where == HAS)
		return has_pair(pairs, text) && strstr(name, text) != NULL;
	if (name[0] != text[0])
		return false;
	return where == IS ? strcmp(name, text) == 0 : strncmp(name, text, strlen(text)) == 0;
}

unsigned facts_words(const char *text)
{
	unsigned found = WORD_KNOWN;
	struct pairs pairs;
	find_pairs(&pairs, text);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (fits(words[i].where, text, &pairs, words[i].text))
			found |= words[i].class;
	return found;
}

struct fact_name *facts_new_name(struct facts *facts, uint32_t id)
{
	if (id >= facts->names.count) {
		size_t known = facts->names.count;
		if (id >= FACTS_NAMES || vec_reserve(&facts->names, id + 1) < 0)
			return NULL;
		facts->names.count = facts->names.capacity;
		memset(facts->names.items + known, 0,
			(facts->names.count - known) * sizeof(*facts->names.items));
	}
	struct fact_name *name = &facts->names.items[id];
	name->words = (uint16_t)facts_words(lookup_text(&facts->lookup, id));
	return name;
}
