/* SPDX-License-Identifier: MIT */
#include "collector/own/last.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/own/folder.h"
#include "collector/own/tasks.h"

#define LOOK_NS   1000000000u
#define ALONE     4 /* links of TASKS: two by itself, the main thread and this one */
#define OURS_MOST (ALONE + 8)

static bool main_has_left(void)
{
	char task[24], text[256];
	(void)snprintf(task, sizeof(task), "%d", (int)getpid());
	if (!task_read(task, "stat", text, sizeof(text)))
		return false;
	/* The name before the state may hold anything. */
	const char *state = strrchr(text, ')');
	return state != NULL && state[1] == ' ' && (state[2] == 'Z' || state[2] == 'X');
}

static bool is_of_program(const char *task, const char *ours)
{
	char text[32];
	if (!task_read(task, "comm", text, sizeof(text)))
		return true;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, ours) != 0;
}

static bool only_ours_are_left(const char *ours)
{
	struct folder tasks;
	bool found = false;
	char self[24], first[24];
	(void)snprintf(self, sizeof(self), "%d", (int)gettid());
	(void)snprintf(first, sizeof(first), "%d", (int)getpid());
	if (!folder_open(&tasks, TASKS))
		return false;
	for (const char *name; !found && (name = folder_next(&tasks)) != NULL;)
		found = name[0] != '.' && strcmp(name, self) != 0 && strcmp(name, first) != 0 &&
			is_of_program(name, ours);
	folder_close(&tasks);
	return !found;
}

bool last_is_alone(struct last *last, uint64_t now_ns, const char *ours)
{
	struct stat status;
	if (stat(TASKS, &status) < 0)
		return false;
	bool alone = status.st_nlink == ALONE;
	if (!alone && now_ns - last->looked_ns < LOOK_NS)
		return false;
	last->looked_ns = now_ns;
	return main_has_left() &&
	       (alone || (status.st_nlink <= OURS_MOST && only_ours_are_left(ours)));
}
