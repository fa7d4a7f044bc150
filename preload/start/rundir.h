/* SPDX-License-Identifier: MIT */
/*
 * The folder of a run: its name, and how a process tree agrees on it.
 *
 * Without LIBTRACE_OUT the first process of a tree names the folder after its program, the time
 * (UTC) and its pid, and hands the absolute path to its children in LIBTRACE_RUN_DIR. With
 * LIBTRACE_OUT every process expands the pattern itself, and it is made absolute in the
 * environment, so that a child in another folder means the same. Names only: nothing is
 * created here.
 *
 * A run's id is made by its first process and handed on as LIBTRACE_RUN_ID. Where a launcher starts
 * a first process on every host, the id is the launcher's own.
 *
 * Called from the constructor only.
 */
#ifndef PRELOAD_RUNDIR_H
#define PRELOAD_RUNDIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUNDIR_ID_BYTES 96

struct rundir {
	char id[RUNDIR_ID_BYTES]; /* of the run: two of them may be in one folder */
	int pid;
	bool is_default;
	bool is_first;    /* this process began the run, maybe as another program before an exec */
	const char *path; /* valid for ever */
};

/*
 * The folder of this process. pattern is LIBTRACE_OUT or empty. 0, or a negative code when the
 * pattern cannot be expanded; then the default is used. ret_rundir->path is "" at worst.
 */
int rundir_choose(const char *pattern, int argc, char *const *argv, char *const *environment,
	int64_t rank, struct rundir *ret_rundir);

/* Hand it on to the children of this process. pattern as above. */
void rundir_export(const struct rundir *rundir, const char *pattern);

/*
 * What the folder is named after: the script or module of a Python interpreter, else the program.
 * Only letters, digits, dot, dash and underscore are left. Never empty.
 */
void rundir_program(int argc, char *const *argv, char *ret_name, size_t size);

/* YYYYMMDD-HHMMSS of seconds since 1970, UTC, in 16 bytes. No time zone is loaded for it. */
void rundir_stamp(int64_t seconds, char ret_stamp[16]);

#endif
