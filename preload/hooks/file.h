/* SPDX-License-Identifier: MIT */
/*
 * Which file a thread has been held by: the folder that it lies in, and the file system there. The
 * path of the file itself is told only when it held a thread for longer than all before it, so that
 * a data set of a million files leaves a few names. Shorter times than FILE_LEAST_NS are not worth
 * the look. The descriptor may have been closed or be another meanwhile.
 *
 * Any thread; three system calls, nothing is allocated; errno may change.
 */
#ifndef PRELOAD_HOOKS_FILE_H
#define PRELOAD_HOOKS_FILE_H

#include <stdint.h>

#define FILE_LEAST_NS 100000u

struct file {
	uint32_t name;   /* id of a text, "folder/" or a path; 0: not known */
	uint32_t system; /* as statfs() has it, 0: not known */
};

struct file file_of(int descriptor, uint64_t ns);

#endif
