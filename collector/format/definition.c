/* SPDX-License-Identifier: MIT */
#include "collector/format/definition.h"

#include <string.h>

#include "collector/base/banned.h"

static const struct {
	const char *name;
	size_t length;
} kinds[META_KIND_COUNT] = {
#define META(kind, name, flag, text) [META_##kind] = {(name), sizeof(name) - 1},
#include "collector/format/meta.def"
};

const char *meta_kind_name(enum meta_kind kind)
{
	return (unsigned)kind < META_KIND_COUNT ? kinds[kind].name : NULL;
}

enum meta_kind meta_kind_find(const char *name, size_t length)
{
	for (unsigned i = 1; i < META_KIND_COUNT; i++)
		if (kinds[i].length == length && memcmp(kinds[i].name, name, length) == 0)
			return (enum meta_kind)i;
	return META_NONE;
}

enum meta_kind meta_kind_from_name(const char *name)
{
	return name != NULL ? meta_kind_find(name, strlen(name)) : META_NONE;
}
