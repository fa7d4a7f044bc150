/* SPDX-License-Identifier: MIT */
#include "preload/process/nothing.h"

#include "collector/base/log.h"
#include "collector/format/suffix.h"
#include "collector/own/descriptor.h"
#include "collector/own/folder.h"
#include "collector/own/loading.h"
#include "preload/window/window.h"

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
static bool folder_has_trace(const char *path, int64_t since)
{
	struct folder folder;
	bool found = false;
	if (!folder_open(&folder, path))
		return false;
	for (const char *name; !found && (name = folder_next(&folder)) != NULL;) {
		struct stat status;
		if (!ends_with(name, SUFFIX_TRACE) && !ends_with(name, SUFFIX_LIVE))
			continue;
		found = fstatat(folder.fd, name, &status, 0) == 0 && status.st_mtime >= since;
	}
	folder_close(&folder);
	return found;
}

/* What it left running may still record. */
static bool has_children(void)
{
	char path[64], first;
	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	int fd = descriptor_open(path, O_RDONLY, 0);
	if (fd < 0)
		return false;
	bool any = descriptor_read(fd, &first, 1) == 1;
	descriptor_close(fd);
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
	static char text[200];
	if (window_reason(text, sizeof(text)))
		return text;
	if (!was_on)
		return "recording was switched off to the end";
	if (__atomic_load_n(&process_passed_by, __ATOMIC_RELAXED) != 0)
		return "calls of a library that was opened with RTLD_DEEPBIND go past the hooks: "
		       "preload this one before others that have a dlsym";
	bool may_look = loading_begin();
	bool has_cuda = may_look && dl_iterate_phdr(find_cuda, NULL) != 0;
	if (may_look)
		loading_end();
	if (has_cuda && process_role()->is_behind)
		return "another preloaded library has a dlsym before this one, and what it looks "
		       "up goes past the hooks: preload this one first";
	if (has_cuda)
		return "CUDA was loaded, but no call was made";
	if (had_children)
		return "neither the command nor what it started and waited for called CUDA or a "
		       "framework, or LD_PRELOAD did not reach it (sudo, ssh, containers)";
	return "the command loaded no CUDA library and no framework that is known here";
}

/* The program has steps, but none of those that were asked for: that is worth a line anyway. */
static bool tell_missed(const struct process_role *role)
{
	char text[200];
	if (!window_missed() || role->rank > 0 || log_level < LOG_LEVEL_ERROR ||
		!window_reason(text, sizeof(text)))
		return false;
	log_write("nothing was recorded: %s", text);
	return true;
}

void nothing_tell(const struct process_role *role, bool was_on)
{
	if (tell_missed(role) || role->asked_at < 0 || !role->is_first || role->is_child ||
		role->rank > 0 || log_level < LOG_LEVEL_ERROR || has_children())
		return;
	bool had_children = process_had_children();
	if (role->own_folder ? had_children : folder_has_trace(role->folder, role->asked_at))
		return;
	log_write("nothing was recorded: %s; trace-analyzer doctor says what would be",
		reason(was_on, had_children));
}
