/* SPDX-License-Identifier: MIT */
/*
 * Start of the library in a process, and in the child of a fork: the only place that orders it. Its
 * end is in ending.h.
 *
 * Our constructor reads the settings and hands them on; it starts no thread and makes no
 * file. Other libraries' constructors may call hooks before it: those forward. A vfork child runs
 * in its parent's memory: whatever could end or record asks start_is_own_process() first.
 */
#ifndef PRELOAD_START_H
#define PRELOAD_START_H

#include <stdbool.h>
#include <stdint.h>

/* The constructor has run and the library is enabled. */
bool start_is_done(void);

/* False in a child of vfork() and of a fork that ran no handlers. One system call. */
bool start_is_own_process(void);

/* What tells this process from the others of its run. */
struct start_role {
	int64_t rank;  /* -1: none */
	bool is_first; /* it began the run */
	bool is_child; /* of a fork */
};

/* Never NULL; of the process that asks. */
const struct start_role *start_role(void);

#endif
