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
	uint16_t class, pair;
	uint8_t where;
} words[] = {
#define PAIR(first, second)      ((uint8_t)(first)*37u ^ (uint8_t)(second)*5u) % 1024u
#define WORD(where, text, class) {text, WORD_##class, PAIR((text)[0], (text)[1]), where},
#include "analyzer/facts/word.def"
#undef WORD
};

/* Which two letters stand side by side in a name; it may say so of some that do not. */
struct pairs {
	uint64_t bits[16];
};

static void find_pairs(struct pairs *pairs, const char *text)
{
	*pairs = (struct pairs){0};
	for (; text[0] != '\0' && text[1] != '\0'; text++) {
		unsigned pair = PAIR(text[0], text[1]);
		pairs->bits[pair / 64] |= 1ull << pair % 64;
	}
}

static bool fits(enum where where, const char *name, const char *text)
{
	if (where == HAS)
		return strstr(name, text) != NULL;
	if (name[0] != text[0])
		return false;
	return where == IS ? strcmp(name, text) == 0 : strncmp(name, text, strlen(text)) == 0;
}

unsigned facts_words(const char *text)
{
	unsigned found = WORD_KNOWN;
	struct pairs pairs;
	find_pairs(&pairs, text);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		unsigned pair = words[i].pair;
		if ((pairs.bits[pair / 64] >> pair % 64 & 1) != 0 &&
			fits(words[i].where, text, words[i].text))
			found |= words[i].class;
	}
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
