/* SPDX-License-Identifier: MIT */
#include "analyzer/names/library.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *path, *function, *advice;
} rows[] = {
#define LIBRARY(path, function, advice) {path, function, advice},
#include "analyzer/names/library.def"
#undef LIBRARY
};

const char *library_advice(const char *path, const char *function)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strncmp(path, rows[i].path, strlen(rows[i].path)) == 0 &&
			(rows[i].function == NULL || strcmp(function, rows[i].function) == 0))
			return rows[i].advice;
	return NULL;
}
