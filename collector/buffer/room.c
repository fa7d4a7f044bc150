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

/* The file as a text behind a line feed; false: it cannot be read. */
static bool read_text(const char *root, const char *path, char *text)
{
	char whole[PATH_MAX];
	if ((size_t)snprintf(whole, sizeof(whole), "%s%s", root, path) >= sizeof(whole))
		return false;
	int fd = descriptor_open(whole, O_RDONLY, 0);
	if (fd < 0)
		return false;
	ssize_t size = descriptor_read(fd, text + 1, TEXT_BYTES - 2);
	descriptor_close(fd);
	text[0] = '\n';
	text[size > 0 ? size + 1 : 1] = '\0';
	return size > 0;
}

/* The number behind a mark; 0: it is not there. */
static uint64_t number_behind(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);
	return at != NULL ? strtoull(at + strlen(mark), NULL, 10) : 0;
}

static bool read_of_group(const char *root, const struct groups *groups, const char *group,
	const char *name, char *text)
{
	char path[PATH_MAX];
	return (size_t)snprintf(path, sizeof(path), "%s%s/%s", groups->folder, group, name) <
		       sizeof(path) &&
	       read_text(root, path, text);
}

static uint64_t room_of_group(const char *root, const struct groups *groups, const char *group)
{
	char text[TEXT_BYTES];
	/* "max": none, which is no number */
	if (!read_of_group(root, groups, group, groups->limit, text) || text[1] == 'm')
		return ROOM_UNKNOWN;
	uint64_t limit = strtoull(text, NULL, 10);
	if (!read_of_group(root, groups, group, groups->used, text))
		return ROOM_UNKNOWN;
	uint64_t used = strtoull(text, NULL, 10), given_up = 0;
	if (read_of_group(root, groups, group, "memory.stat", text))
		for (unsigned i = 0; i < 2; i++)
			given_up += number_behind(text, groups->given_up[i]);
	used -= given_up < used ? given_up : used;
	return used < limit ? limit - used : 0;
}

/* Of the own group and of those that it is in. */
static uint64_t room_of_groups(const char *root, const struct groups *groups, const char *lines)
{
	char group[PATH_MAX] = "";
	const char *at = strstr(lines, groups->mark);
	if (at != NULL)
		(void)snprintf(group, sizeof(group), "%.*s",
			(int)strcspn(at + strlen(groups->mark), "\n"), at + strlen(groups->mark));
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

uint64_t room_bytes_at(const char *root)
{
	char text[TEXT_BYTES];
	int saved = errno;
	uint64_t room = ROOM_UNKNOWN, kib = 0;
	if (read_text(root, "/proc/meminfo", text))
		kib = number_behind(text, "\nMemAvailable:");
	if (kib > 0)
		room = kib << 10;
	if (!read_text(root, "/proc/self/cgroup", text))
		text[0] = '\0';
	for (unsigned i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		uint64_t here = room_of_groups(root, &versions[i], text);
		room = here < room ? here : room;
	}
	errno = saved;
	return room;
}

uint64_t room_bytes(void)
{
	return room_bytes_at("");
}
