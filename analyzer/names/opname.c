/* SPDX-License-Identifier: MIT */
#include "analyzer/names/opname.h"

#include <fnmatch.h>
#include <string.h>

/* Ids above are not kept: a trace may use any. */
#define ID_LIMIT (1u << 20)

static const struct {
	const char *pattern;
	unsigned class;
} opnames[] = {
#define OPNAME(pattern, class) {pattern, OPCLASS_##class},
#include "analyzer/names/opname.def"
#undef OPNAME
};

void opname_release(struct opname_cache *cache)
{
	vec_release(&cache->classes);
}

unsigned opname_class(const char *text)
{
	if (text == NULL || text[0] == '\0')
		return 0;
	for (size_t i = 0; i < sizeof(opnames) / sizeof(opnames[0]); i++)
		if (fnmatch(opnames[i].pattern, text, 0) == 0)
			return opnames[i].class;
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
	cache->classes.items[id] = (uint16_t) class;
	return class;
}
