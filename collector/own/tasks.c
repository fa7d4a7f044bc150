/* SPDX-License-Identifier: MIT */
#include "collector/own/tasks.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "collector/own/descriptor.h"
#include "collector/own/folder.h"

bool task_read(const char *task, const char *file, char *ret_text, size_t size)
{
	char path[64];
	(void)snprintf(path, sizeof(path), TASKS "/%.20s/%s", task, file);
	int fd = descriptor_open(path, O_RDONLY, 0);
	ssize_t got = fd >= 0 ? descriptor_read(fd, ret_text, size - 1) : -1;
	if (fd >= 0)
		descriptor_close(fd);
	ret_text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

unsigned tasks_named(const char *beginning)
{
	struct folder tasks;
	unsigned count = 0;
	char name[32];
	if (!folder_open(&tasks, TASKS))
		return 0;
	for (const char *task; (task = folder_next(&tasks)) != NULL;)
		count += task[0] != '.' && task_read(task, "comm", name, sizeof(name)) &&
			 strncmp(name, beginning, strlen(beginning)) == 0;
	folder_close(&tasks);
	return count;
}
