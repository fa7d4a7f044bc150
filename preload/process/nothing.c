/* SPDX-License-Identifier: MIT */
#include "preload/process/nothing.h"

#include "collector/base/log.h"
#include "collector/format/suffix.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *name, const char *suffix)
{
	size_t length = strlen(name), tail = strlen(suffix);
	return length > tail && strcmp(name + length - tail, suffix) == 0;
}

/* A file of this run: no older than it. */
static bool folder_has_trace(const char *folder, int64_t since)
{
	DIR *stream = opendir(folder);
	bool found = false;
	if (stream == NULL)
		return false;
	for (struct dirent *entry; !found && (entry = readdir(stream)) != NULL;) {
		struct stat status;
		if (!ends_with(entry->d_name, SUFFIX_TRACE) &&
			!ends_with(entry->d_name, SUFFIX_LIVE))
			continue;
		found = fstatat(dirfd(stream), entry->d_name, &status, 0) == 0 &&
			status.st_mtime >= since;
	}
	(void)closedir(stream);
	return found;
}

/* What it left running may still record. */
static bool has_children(void)
{
	char path[64], first;
	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool any = read(fd, &first, 1) == 1;
	(void)close(fd);
	return any;
}

static int find_cuda(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	const char *name = info->dlpi_name != NULL ? info->dlpi_name : "";
	const char *slash = strrchr(name, '/');
	name = slash != NULL ? slash + 1 : name;
	return strncmp(name, "libcuda.so", 10) == 0 || strncmp(name, "libcudart", 9) == 0;
}

static const char *reason(bool was_on, bool had_children)
{
	if (!was_on)
		return "recording was switched off to the end";
	if (dl_iterate_phdr(find_cuda, NULL) != 0)
		return "CUDA was loaded, but no call was made";
	if (had_children)
		return "neither the command nor what it started and waited for called CUDA or a "
		       "framework, or LD_PRELOAD did not reach it (sudo, ssh, containers)";
	return "the command loaded no CUDA library and no framework that is known here";
}

void nothing_tell(const struct process_role *role, bool was_on)
{
	if (role->asked_at < 0 || !role->is_first || role->is_child || role->rank > 0 ||
		log_level < LOG_LEVEL_ERROR || has_children())
		return;
	bool had_children = process_had_children();
	if (role->own_folder ? had_children : folder_has_trace(role->folder, role->asked_at))
		return;
	log_write("nothing was recorded: %s; trace-analyzer doctor says what would be",
		reason(was_on, had_children));
}
