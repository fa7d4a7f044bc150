/* SPDX-License-Identifier: MIT */
/*
 * The threads of this process, as the kernel has them. Any thread; by the kernel alone, as
 * folder.h; errno may change.
 */
#ifndef COLLECTOR_OWN_TASKS_H
#define COLLECTOR_OWN_TASKS_H

#include <stdbool.h>
#include <stddef.h>

#define TASKS "/proc/self/task"

/* The file of a thread as a text; false: not to be read. */
bool task_read(const char *task, const char *file, char *ret_text, size_t size);

/* How many have a name that begins like that. */
unsigned tasks_named(const char *beginning);

#endif
