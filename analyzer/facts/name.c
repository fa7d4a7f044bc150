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

static bool fits(enum where where, const char *name, const char *text)
{
	if (where == HAS)
		return strstr(name, text) != NULL;
	return where == IS ? strcmp(name, text) == 0 : strncmp(name, text, strlen(text)) == 0;
}

unsigned facts_words(const char *text)
{
	unsigned found = WORD_KNOWN;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (fits(words[i].where, text, words[i].text))
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
