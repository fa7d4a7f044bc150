/* SPDX-License-Identifier: MIT */
#include "preload/torch/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/frameworks/version.h"

void torch_version(const char *path, char *text, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash == NULL ? path : slash + 1;
	if (frameworks_version(path, "../version.py", "__version__ = '", text, size) ||
		frameworks_version(path, "../build-version", "", text, size))
		return;
	const char *suffix = strstr(file, ".so.");
	(void)snprintf(text, size, "%s", suffix == NULL ? "" : suffix + 4);
}

const char *torch_version_refused(const char *text)
{
	char *end;
	unsigned long major = strtoul(text, &end, 10);
	if (end == text || *end != '.')
		return "the version cannot be told";
	unsigned long minor = strtoul(end + 1, NULL, 10);
	if (major < 1 || (major == 1 && minor < 13))
		return "older than PyTorch 1.13";
	return major > 2 ? "newer than what is known" : NULL;
}
