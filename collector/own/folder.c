/* SPDX-License-Identifier: MIT */
#include "collector/own/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/own/descriptor.h"

bool folder_open(struct folder *folder, const char *path)
{
	folder->at = folder->filled = 0;
	folder->fd = descriptor_open(path, O_RDONLY | O_DIRECTORY, 0);
	return folder->fd >= 0;
}

const char *folder_next(struct folder *folder)
{
	if (folder->at == folder->filled) {
		long got = syscall(SYS_getdents64, folder->fd, folder->bytes, FOLDER_BYTES);
		folder->at = 0;
		folder->filled = got > 0 ? (size_t)got : 0;
	}
	if (folder->filled == 0)
		return NULL;
	/* The kernel's own layout, in which libc gives it, too. */
	const struct dirent64 *entry = (const void *)(folder->bytes + folder->at);
	folder->at += entry->d_reclen;
	return entry->d_name;
}

void folder_close(struct folder *folder)
{
	descriptor_close(folder->fd);
}
