/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/name.h"

#include <fnmatch.h>
#include <string.h>

static const struct {
	const char *pattern;
	unsigned class;
} words[] = {
#define WORD(pattern, class) {pattern, WORD_##class},
#include "analyzer/facts/word.def"
#undef WORD
};

unsigned facts_words(const char *text)
{
	unsigned found = WORD_KNOWN;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (fnmatch(words[i].pattern, text, 0) == 0)
			found |= words[i].class;
	return found;
}

struct fact_name *facts_name(struct facts *facts, uint32_t id)
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
	if (name->words == 0)
		name->words = (uint16_t)facts_words(lookup_text(&facts->lookup, id));
	return name;
}
