/* SPDX-License-Identifier: MIT */
/*
 * Pages of files that we have mapped may be taken away: somebody cuts the file off, or a disk
 * fails. The thread that touches such a page next would die of SIGBUS. Here it finds private
 * memory instead, and what was in the file is gone.
 *
 * The handler for that stands before the program's own, which is told nothing of ours and gets what
 * is its own: its disposition is put back, and the signal comes again. After that ours is out
 * of the way. A program that sets a handler past sigaction() and signal() of libc is not
 * noticed: its handler then is the only one. A thread that blocks SIGBUS is not helped.
 *
 * Any thread, signal handlers too. Keeps errno.
 */
#ifndef COLLECTOR_OWN_FAULT_H
#define COLLECTOR_OWN_FAULT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* From now on the pages of a mapping of a file are ours. */
void fault_watch(void *base, size_t bytes);

/*
 * Pages were taken away: none of what is in any of ours counts. True before any of it reads
 * differently, until fault_end().
 */
bool fault_has_taken(void);

/* Wait until nothing of it changes any more: not long. */
void fault_settle(void);

/* Give the program's disposition back. Our mappings stay, and are not watched any more. */
void fault_end(void);

/* The same in the child of a fork, whatever other threads were at. */
void fault_forget(void);

/*
 * sigaction(SIGBUS, action, ret_old) as the program means it, action and ret_old may be NULL.
 * False: libc has to be asked, as if we were not there.
 */
bool fault_sigaction(const struct sigaction *action, struct sigaction *ret_old);

#endif
