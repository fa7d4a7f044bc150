/* SPDX-License-Identifier: MIT */
#include "analyzer/model/opname.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* Ids above are not kept: a trace may use any. */
#define ID_LIMIT (1u << 20)

static const struct {
	const char *pattern;
	unsigned class;
} opnames[] = {
#define OPNAME(pattern, class) {pattern, OPCLASS_##class},
#include "analyzer/model/opname.def"
#undef OPNAME
};

void opname_release(struct opname_cache *cache)
{
	free(cache->classes);
	*cache = (struct opname_cache){0};
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
	if (id >= cache->count) {
		size_t count = cache->count == 0 ? 1024 : cache->count;
		while (count <= id)
			count *= 2;
		uint16_t *classes = realloc(cache->classes, count * sizeof(*classes));
		if (classes == NULL)
			return class;
		memset(classes + cache->count, 0, (count - cache->count) * sizeof(*classes));
		cache->classes = classes;
		cache->count = count;
	}
	cache->classes[id] = (uint16_t) class;
	return class;
}
