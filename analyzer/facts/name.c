/* SPDX-License-Identifier: MIT */
#include "analyzer/facts/name.h"

#include <pthread.h>
#include <string.h>

enum where {
	IS,
	BEGINS,
	HAS
};

static const struct {
	const char *text;
	uint16_t class, length;
	uint8_t where;
} words[] = {
#define WORD(where, text, class) {text, WORD_##class, sizeof(text) - 1, where},
#include "analyzer/facts/word.def"
#undef WORD
};
#define WORDS (sizeof(words) / sizeof(words[0]))

/* Words by the two letters that they begin with: the first one, + 1, and the one behind each. */
static uint8_t first_word[1024], next_word[WORDS];
static pthread_once_t words_sorted = PTHREAD_ONCE_INIT;
_Static_assert(WORDS < UINT8_MAX, "an index + 1 fits");

static inline unsigned pair_of(const char *text)
{
	return ((uint8_t)text[0] * 37u ^ (uint8_t)text[1] * 5u) % 1024u;
}

static void sort_words(void)
{
	for (unsigned i = 0; i < WORDS; i++) {
		uint8_t *first = &first_word[pair_of(words[i].text)];
		next_word[i] = *first;
		*first = (uint8_t)(i + 1);
	}
}

/* The word is there at at; what IS it ends there, too. */
static inline bool fits(unsigned word, const char *text, const char *at)
{
	if ((words[word].where != HAS && at != text) ||
		strncmp(at, words[word].text, words[word].length) != 0)
		return false;
	return words[word].where != IS || at[words[word].length] == '\0';
}

unsigned facts_words(const char *text)
{
	unsigned found = WORD_KNOWN;
	(void)pthread_once(&words_sorted, sort_words);
	for (const char *at = text; at[0] != '\0' && at[1] != '\0'; at++)
		for (unsigned i = first_word[pair_of(at)]; i != 0; i = next_word[i - 1])
			if (fits(i - 1, text, at))
				found |= words[i - 1].class;
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
