/* SPDX-License-Identifier: MIT */
/*
 * Which process this is, and how far the library has come in it. A vfork child runs in its
 * parent's memory: whatever could end or record something asks process_is_own() first.
 *
 * Filled in by start.c; read on any thread, also before our constructor.
 */
#ifndef PRELOAD_PROCESS_H
#define PRELOAD_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/own/wiped.h"

/*
 * 0: the library does nothing at all (LIBTRACE_ENABLE=0, or it interposes nothing). Otherwise also
 * while recording is merely paused: kinds of memory and names of kernels are kept up to date.
 */
#define process_tracking (wiped.tracking)

/* Libraries, and slots of libraries, whose calls go past the hooks, as far as is known by now. */
extern uint32_t process_passed_by __attribute__((visibility("hidden")));

/* What tells this process from the others of its run. */
struct process_role {
	int64_t rank;  /* -1: none */
	bool is_first; /* it began the run */
	bool is_child; /* of a fork */

	int64_t asked_at;   /* seconds since 1970 when trace-run began the run; -1: nobody asked */
	const char *folder; /* of the run; kept */
	bool is_behind;     /* another library's dlsym comes before ours */
	bool own_folder;    /* each process has its own: what others recorded is not known */
};

/* The constructor begins: the calling process is the own one. */
void process_begin(void);

/* No filter of system calls ends who does what the library does. Once, before it does any of it. */
bool process_is_permitted(void);

/* The constructor has done its work, and the library is enabled. */
void process_set_ready(const struct process_role *role);
bool process_is_ready(void);

/* From now on the library does nothing in this process, nor in those that it forks. */
void process_seal(void);

/* False in a child of vfork() and of a fork that ran no handlers. One system call. */
bool process_is_own(void);

/* It has waited for a child since process_is_permitted(). */
bool process_had_children(void);

/* Never NULL; without rank and role before process_set_ready(). */
const struct process_role *process_role(void);

/*
 * In the child of a fork: nothing is held for us any more; there too, unless it is sealed. Both
 * keep errno.
 */
void process_begins_as_child(void);
void process_after_fork(void);

#endif
