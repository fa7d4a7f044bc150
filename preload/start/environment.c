/* SPDX-License-Identifier: MIT */
#include "preload/start/environment.h"

#include "preload/linker/linker.h"
#include "preload/start/settings.h"
#include "preload/start/text.h"
#include "preload/thread/arena.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEPARATORS " :"
#define VARIABLE   "LD_PRELOAD"
#define LIST_BYTES 8000 /* with name and terminator below ARENA_LIMIT */

#define SPARE_ENTRIES 4 /* as many as a start sets */

static bool is_named(const char *entry, const char *name)
{
	size_t length = strlen(name);
	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/*
 * In a list of our own: setenv() would take the first memory of the heap, which many a program that
 * ends at once never needs.
 */
static bool append_entry(char *text)
{
	static char **own;
	static size_t count, room;
	if (!__libc_single_threaded)
		return false;
	if (own == NULL || environ != own || count == room) {
		for (count = 0; environ != NULL && environ[count] != NULL; count++)
			;
		char **fresh = arena_take((count + SPARE_ENTRIES + 1) * sizeof(*fresh));
		if (fresh == NULL)
			return false;
		if (count > 0)
			memcpy(fresh, environ, count * sizeof(*fresh));
		room = count + SPARE_ENTRIES;
		own = fresh;
	}
	own[count++] = text;
	__atomic_store_n(&environ, own, __ATOMIC_RELEASE);
	return true;
}

void environment_set(const char *name, const char *value)
{
	struct text text = {.size = strlen(name) + strlen(value) + 2};
	text.bytes = arena_take(text.size);
	if (text.bytes == NULL)
		return;
	text_put(&text, name);
	text_put(&text, "=");
	text_put(&text, value);
	bool is_there = false;
	for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
		if (!is_named(*entry, name))
			continue;
		is_there = true;
		__atomic_store_n(entry, text.bytes, __ATOMIC_RELEASE);
	}
	if (!is_there && !append_entry(text.bytes))
		(void)setenv(name, value, 1);
}

const char *environment_folder(void)
{
	char folder[PATH_MAX];
	char *kept = getcwd(folder, sizeof(folder)) == NULL ? NULL : arena_take(strlen(folder) + 1);
	return kept == NULL ? NULL : memcpy(kept, folder, strlen(folder) + 1);
}

static bool is_same_file(const char *path, const char *other)
{
	struct stat first, second;
	return stat(path, &first) == 0 && stat(other, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/*
 * entry names the library by way of the current folder: itself, or by a search path that does.
 * Returns the path that counts from there, or NULL.
 */
static const char *relative_path(const char *entry, const char *own)
{
	if (entry[0] == '/' || entry[0] == '$')
		return NULL;
	if (strchr(entry, '/') != NULL)
		return is_same_file(entry, own) ? entry : NULL;
	const char *slash = strrchr(own, '/');
	bool is_found = own[0] != '/' && slash != NULL && strcmp(slash + 1, entry) == 0;
	return is_found ? own : NULL;
}

/* Append; false when there is no room, and nothing has changed then. */
static bool append(char *text, size_t size, size_t *length, const char *more, size_t bytes)
{
	if (*length + bytes >= size)
		return false;
	memcpy(text + *length, more, bytes);
	*length += bytes;
	text[*length] = '\0';
	return true;
}

size_t environment_absolute_list(
	const char *list, const char *own, const char *folder, char *ret_list, size_t size)
{
	size_t at = 0;
	bool changed = false;
	while (*list != '\0') {
		char entry[PATH_MAX];
		size_t between = strspn(list, SEPARATORS);
		size_t length = strcspn(list + between, SEPARATORS);
		if (length >= sizeof(entry) || !append(ret_list, size, &at, list, between))
			return 0;
		memcpy(entry, list + between, length);
		entry[length] = '\0';
		list += between + length;
		const char *path = relative_path(entry, own);
		const char *bare = path != NULL && strncmp(path, "./", 2) == 0 ? path + 2 : path;
		if (path != NULL && strpbrk(folder, SEPARATORS "$") == NULL) {
			changed = true;
			if (!append(ret_list, size, &at, folder, strlen(folder)) ||
				!append(ret_list, size, &at, "/", 1) ||
				!append(ret_list, size, &at, bare, strlen(bare)))
				return 0;
		} else if (!append(ret_list, size, &at, entry, length)) {
			return 0;
		}
	}
	return changed ? at : 0;
}

static bool has_relative(const char *list)
{
	while (*list != '\0') {
		list += strspn(list, SEPARATORS);
		if (*list != '/' && *list != '\0')
			return true;
		list += strcspn(list, SEPARATORS);
	}
	return false;
}

/* Of its own, for the sake of its stack. */
static __attribute__((noinline)) void fix_list(const char *set)
{
	char folder[PATH_MAX], list[LIST_BYTES];
	const char *own = linker_own_path();
	if (own != NULL && getcwd(folder, sizeof(folder)) != NULL &&
		environment_absolute_list(set, own, folder, list, sizeof(list)) != 0)
		environment_set(VARIABLE, list);
}

void environment_fix_preload(void)
{
	int saved = errno;
	const char *set = settings_get(environ, VARIABLE);
	if (set != NULL && has_relative(set))
		fix_list(set);
	errno = saved;
}
