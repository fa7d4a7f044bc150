/* SPDX-License-Identifier: MIT */
#include "analyzer/read/name.h"

#include <stdbool.h>
#include <string.h>

#include "collector/format/suffix.h"

static bool has_suffix(const char *path, const char *suffix, size_t *ret_stem)
{
	size_t length = strlen(path), size = strlen(suffix);
	bool has = length > size && strcmp(path + length - size, suffix) == 0;
	*ret_stem = has ? length - size : length;
	return has;
}

enum name_kind name_parse(const char *path, size_t *ret_stem)
{
	if (has_suffix(path, SUFFIX_TRACE, ret_stem))
		return NAME_TRACE;
	return has_suffix(path, SUFFIX_LIVE, ret_stem) ? NAME_LIVE : NAME_OTHER;
}
