/* SPDX-License-Identifier: MIT */
#include "preload/frameworks/version.h"

#include "collector/own/descriptor.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 1024
#define FILE_BYTES 2048

bool frameworks_version(
	const char *library, const char *name, const char *mark, char *ret_text, size_t size)
{
	char path[PATH_BYTES], content[FILE_BYTES];
	const char *slash = strrchr(library, '/');
	if (slash == NULL || (size_t)snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - library),
				     library, name) >= sizeof(path))
		return false;
	int file = descriptor_open(path, O_RDONLY, 0);
	if (file < 0)
		return false;
	ssize_t got = descriptor_read(file, content, sizeof(content) - 1);
	descriptor_close(file);
	if (got <= 0)
		return false;
	content[got] = '\0';
	const char *found = strstr(content, mark);
	if (found == NULL)
		return false;
	found += strlen(mark);
	(void)snprintf(ret_text, size, "%.*s", (int)strcspn(found, "'\" \r\n"), found);
	return ret_text[0] >= '0' && ret_text[0] <= '9';
}
