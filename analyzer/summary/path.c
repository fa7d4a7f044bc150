/* SPDX-License-Identifier: MIT */
#include "analyzer/summary/path.h"

#include <stdio.h>
#include <string.h>

#define PATH_BYTES 4096u

/* Without ".", ".." and empty parts; no slash at the end. "/" becomes "". */
static void normalise(const char *path, char ret_path[PATH_BYTES])
{
	size_t used = 0;
	while (*path != '\0') {
		size_t part = strcspn(path, "/");
		bool up = part == 2 && path[0] == '.' && path[1] == '.';
		if (up) {
			while (used > 0 && ret_path[--used] != '/')
				;
		} else if (part > 0 && !(part == 1 && path[0] == '.') &&
			   used + part + 2 < PATH_BYTES) {
			ret_path[used++] = '/';
			memcpy(ret_path + used, path, part);
			used += part;
		}
		path += part + (path[part] == '/');
	}
	ret_path[used] = '\0';
}

bool path_below(
	const char *root, const char *directory, const char *path, char *ret_path, size_t size)
{
	char joined[2 * PATH_BYTES], whole[PATH_BYTES], base[PATH_BYTES];
	const char *from = directory != NULL && directory[0] == '/' ? directory : root;
	bool relative = path[0] != '/';
	(void)snprintf(
		joined, sizeof(joined), "%s%s%s", relative ? from : "", relative ? "/" : "", path);
	normalise(joined, whole);
	normalise(root, base);
	size_t length = strlen(base);
	bool below = strncmp(whole, base, length) == 0 && whole[length] == '/';
	const char *last = strrchr(whole, '/');
	(void)snprintf(ret_path, size, "%s",
		below          ? whole + length + 1
		: last != NULL ? last + 1
			       : whole);
	return below;
}
