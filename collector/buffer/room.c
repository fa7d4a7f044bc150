/* SPDX-License-Identifier: MIT */
#include "collector/buffer/room.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/own/descriptor.h"

#define TEXT_BYTES 4096u
#define LEVELS     16u /* of groups, from the own one upwards */

/* How a version of control groups names things. */
struct groups {
	const char *folder, *mark; /* in the line of /proc/self/cgroup that has the path */
	const char *limit, *used;
	const char *given_up[2]; /* rows of memory.stat */
};

static const struct groups versions[] = {
	{"/sys/fs/cgroup", "0::", "memory.max", "memory.current",
		{"\ninactive_file ", "\nactive_file "}},
	{"/sys/fs/cgroup/memory", ":memory:", "memory.limit_in_bytes", "memory.usage_in_bytes",
		{"\ntotal_inactive_file ", "\ntotal_active_file "}},
};

/* Not on the stack, of which a thread of the program may have little. */
static char whole[PATH_MAX], below[PATH_MAX], group[PATH_MAX], text[TEXT_BYTES], lines[TEXT_BYTES];

static bool looking; /* some thread is */

/* The file as a text behind a line feed; false: it cannot be read. */
static bool read_text(const char *root, const char *path, char *ret_text)
{
	if ((size_t)snprintf(whole, sizeof(whole), "%s%s", root, path) >= sizeof(whole))
		return false;
	int fd = descriptor_open(whole, O_RDONLY, 0);
	if (fd < 0)
		return false;
	ssize_t size = descriptor_read(fd, ret_text + 1, TEXT_BYTES - 2);
	descriptor_close(fd);
	ret_text[0] = '\n';
	ret_text[size > 0 ? size + 1 : 1] = '\0';
	return size > 0;
}

/* The number behind a mark; 0: it is not there. */
static uint64_t number_behind(const char *mark)
{
	const char *at = strstr(text, mark);
	return at != NULL ? strtoull(at + strlen(mark), NULL, 10) : 0;
}

/* A file of the group at path, into text. */
static bool read_of_group(
	const char *root, const struct groups *groups, const char *path, const char *name)
{
	return (size_t)snprintf(below, sizeof(below), "%s%s/%s", groups->folder, path, name) <
		       sizeof(below) &&
	       read_text(root, below, text);
}

static uint64_t room_of_group(const char *root, const struct groups *groups, const char *path)
{
	/* "max": none, which is no number */
	if (!read_of_group(root, groups, path, groups->limit) || text[1] == 'm')
		return ROOM_UNKNOWN;
	uint64_t limit = strtoull(text, NULL, 10);
	if (!read_of_group(root, groups, path, groups->used))
		return ROOM_UNKNOWN;
	uint64_t used = strtoull(text, NULL, 10), given_up = 0;
	if (read_of_group(root, groups, path, "memory.stat"))
		for (unsigned i = 0; i < 2; i++)
			given_up += number_behind(groups->given_up[i]);
	used -= given_up < used ? given_up : used;
	return used < limit ? limit - used : 0;
}

/* Of the own group, as lines say, and of those that it is in. */
static uint64_t room_of_groups(const char *root, const struct groups *groups)
{
	const char *at = strstr(lines, groups->mark);
	const char *path = at != NULL ? at + strlen(groups->mark) : "";
	(void)snprintf(group, sizeof(group), "%.*s", (int)strcspn(path, "\n"), path);
	uint64_t room = room_of_group(root, groups, "");
	for (unsigned i = 0; i < LEVELS; i++) {
		char *slash = strrchr(group, '/');
		if (slash == NULL)
			break;
		uint64_t here = slash[1] != '\0' ? room_of_group(root, groups, group) : room;
		room = here < room ? here : room;
		*slash = '\0';
	}
	return room;
}

static uint64_t look(const char *root)
{
	uint64_t room = ROOM_UNKNOWN, kib = 0;
	if (read_text(root, "/proc/meminfo", text))
		kib = number_behind("\nMemAvailable:");
	if (kib > 0)
		room = kib << 10;
	if (!read_text(root, "/proc/self/cgroup", lines))
		lines[0] = '\0';
	for (unsigned i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		uint64_t here = room_of_groups(root, &versions[i]);
		room = here < room ? here : room;
	}
	return room;
}

uint64_t room_bytes_at(const char *root)
{
	int saved = errno;
	if (__atomic_test_and_set(&looking, __ATOMIC_ACQUIRE))
		return ROOM_UNKNOWN;
	uint64_t room = look(root);
	__atomic_clear(&looking, __ATOMIC_RELEASE);
	errno = saved;
	return room;
}

void room_forget(void)
{
	__atomic_clear(&looking, __ATOMIC_RELEASE);
}

uint64_t room_bytes(void)
{
	return room_bytes_at("");
}
