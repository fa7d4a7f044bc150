/* SPDX-License-Identifier: MIT */
/*
 * Which worker of a loader this process is, found where frameworks run them: their own function
 * stands among the frames of the thread, with the number as an argument.
 */
#ifndef PRELOAD_HOOKS_WORKER_H
#define PRELOAD_HOOKS_WORKER_H

/*
 * The calling thread has waited: look, less often after some looks without a find and never again
 * after one with, and tell the collector what was found. Any thread.
 */
void worker_look(void);

/* In the child of a fork: it may be one. */
void worker_after_fork(void);

#endif
