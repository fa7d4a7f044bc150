/* SPDX-License-Identifier: MIT */
#include "preload/torch/version.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024
#define FILE_BYTES 2048

/* The text after mark in the file at folder/name, up to a quote, a space or the line's end. */
static bool read_after(
	const char *folder, const char *name, const char *mark, char *text, size_t size)
{
	char path[PATH_BYTES], content[FILE_BYTES];
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return false;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	ssize_t got = read(file, content, sizeof(content) - 1);
	(void)close(file);
	if (got <= 0)
		return false;
	content[got] = '\0';
	const char *found = strstr(content, mark);
	if (found == NULL)
		return false;
	found += strlen(mark);
	(void)snprintf(text, size, "%.*s", (int)strcspn(found, "'\" \r\n"), found);
	return text[0] >= '0' && text[0] <= '9';
}

void torch_version(const char *path, char *text, size_t size)
{
	char folder[PATH_BYTES];
	const char *slash = strrchr(path, '/');
	const char *file = slash == NULL ? path : slash + 1;
	(void)snprintf(
		folder, sizeof(folder), "%.*s", slash == NULL ? 0 : (int)(slash - path), path);
	if (slash != NULL && (read_after(folder, "../version.py", "__version__ = '", text, size) ||
				     read_after(folder, "../build-version", "", text, size)))
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
