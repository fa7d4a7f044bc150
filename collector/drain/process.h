/* SPDX-License-Identifier: MIT */
/*
 * What this process is: the facts of the run description that come from the system, and
 * the names of its files. Read once per session from /proc; texts lie in one static
 * block, so nothing is allocated. Drain thread and starting thread only.
 */
#ifndef COLLECTOR_DRAIN_PROCESS_H
#define COLLECTOR_DRAIN_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "collector/format/definition.h"

#define PROCESS_COMMAND_BYTES 4096u

/* What keeps this process from being recorded, for one line; NULL: nothing. */
const char *process_refuses(void);

/*
 * Fill host, pids, program, command, executable, directory, processors; the rest stays. command
 * is without secrets (secret.h), and "" when it is not wanted.
 */
void process_describe(bool with_command, struct meta_RUN *ret_run);

/* Name of the host for file names: letters, digits, dot, dash, underscore; at most 63. */
void process_host(char *ret_name, size_t size);

/* The program's name out of the arguments: the script or module of an interpreter, else argv[0]. */
void process_program(const char *arguments, size_t length, char *ret_name, size_t size);

/*
 * Make the folder and its parents, for those who may read files of file_mode (always for the
 * owner, whatever the umask says); one that is there is fine and left as it is. Returns how
 * many folders were made, or -errno.
 */
int process_make_folder(const char *path, unsigned file_mode);

/* path as an absolute one, by the current folder. 0 or -errno. */
int process_absolute(const char *path, char *ret_path, size_t size);

#endif
