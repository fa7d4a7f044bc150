/* SPDX-License-Identifier: MIT */
/*
 * How many threads the process has, for a program that asks the kernel: Python from 3.12 on does
 * when it forks, and warns, or raises, where there is more than one. Those that are there for us
 * are none of a program's, and are gone in a child.
 */
#ifndef PRELOAD_PROCESS_THREADS_H
#define PRELOAD_PROCESS_THREADS_H

#include <stdbool.h>

/* That file tells. */
bool threads_are_told(const char *path);

/*
 * What is read from the descriptor, which is of that file and at its beginning, is as it would be
 * without us; as it was where we have no thread, or that cannot be done. Any thread that does not
 * hold the guard; some system calls for each thread of the process; keeps errno.
 */
void threads_leave_out_own(int descriptor);

#endif
