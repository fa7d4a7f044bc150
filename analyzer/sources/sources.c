/* SPDX-License-Identifier: MIT */
#include "analyzer/sources/sources.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void sources_release(struct sources *sources)
{
	for (size_t i = 0; i < sources->lines.count; i++)
		free(sources->lines.items[i].text);
	vec_release(&sources->lines);
	free(sources->root);
	free(sources->real_root);
	*sources = (struct sources){0};
}

static char *with_slash(const char *folder)
{
	size_t length = strlen(folder);
	while (length > 1 && folder[length - 1] == '/')
		length--;
	char *copy = malloc(length + 2);
	if (copy == NULL)
		return NULL;
	bool is_top = length == 1 && folder[0] == '/';
	(void)snprintf(copy, length + 2, "%.*s%s", (int)length, folder, is_top ? "" : "/");
	return copy;
}

int sources_set_root(struct sources *sources, const char *folder)
{
	char real[PATH_MAX];
	struct stat status;
	if (realpath(folder, real) == NULL || stat(real, &status) < 0)
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return -ENOTDIR;
	sources->root = with_slash(folder);
	sources->real_root = with_slash(real);
	return sources->root != NULL && sources->real_root != NULL ? 0 : -ENOMEM;
}

static bool begins_with(const char *path, const char *start)
{
	return strncmp(path, start, strlen(start)) == 0 && path[strlen(start)] != '\0';
}

static bool is_installed(const char *path)
{
	return strstr(path, "/site-packages/") != NULL || strstr(path, "/dist-packages/") != NULL ||
	       strstr(path, "/lib/python") != NULL;
}

static bool is_there(const struct sources *sources, const char *path)
{
	char whole[PATH_MAX];
	struct stat status;
	int size = snprintf(whole, sizeof(whole), "%s%s", sources->real_root, path);
	return size > 0 && size < (int)sizeof(whole) && stat(whole, &status) == 0 &&
	       S_ISREG(status.st_mode);
}

const char *sources_path(const struct sources *sources, const char *path)
{
	if (sources->root == NULL)
		return path;
	if (begins_with(path, sources->real_root))
		return path + strlen(sources->real_root);
	if (begins_with(path, sources->root))
		return path + strlen(sources->root);
	if (path[0] != '/' || strstr(path, "/../") != NULL || is_installed(path))
		return path;
	/* the longest end that is there */
	for (const char *slash = path; slash != NULL; slash = strchr(slash + 1, '/'))
		if (slash[1] != '/' && slash[1] != '\0' && is_there(sources, slash + 1))
			return slash + 1;
	return path;
}

int sources_add(struct sources *sources, const struct meta_LINES *lines)
{
	const char *path = sources_path(sources, lines->path);
	size_t size = strlen(lines->text), path_size = strlen(path) + 1;
	if (sources->bytes + size + path_size > SOURCES_BYTES_LIMIT)
		return 0;
	char *text = malloc(size + path_size);
	if (text == NULL)
		return -ENOMEM;
	memcpy(text, lines->text, size);
	memcpy(text + size, path, path_size);
	struct sources_lines kept = {.path = text + size,
		.text = text,
		.size = size,
		.first = lines->first,
		.changed_ns = lines->file_changed_ns};
	int err = vec_push(&sources->lines, kept);
	if (err < 0)
		free(text);
	else
		sources->bytes += size + path_size;
	return err;
}

/* The number-th line, from 0, of size bytes; NULL: there are fewer. */
static const char *line_at(const char *text, size_t size, uint64_t number, size_t *ret_length)
{
	const char *end = text + size;
	for (const char *line = text; line < end; number--) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		if (stop == NULL)
			stop = end;
		if (number == 0) {
			*ret_length = (size_t)(stop - line);
			return line;
		}
		line = stop + 1;
	}
	return NULL;
}

const char *sources_line(
	const struct sources *sources, const char *path, uint64_t line, size_t *ret_length)
{
	for (size_t i = 0; sources != NULL && path != NULL && i < sources->lines.count; i++) {
		const struct sources_lines *lines = &sources->lines.items[i];
		if (line < lines->first || strcmp(lines->path, path) != 0 ||
			lines->changed_ns > sources->begin_ns)
			continue;
		const char *text =
			line_at(lines->text, lines->size, line - lines->first, ret_length);
		if (text != NULL)
			return text;
	}
	return NULL;
}
