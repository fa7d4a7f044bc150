/* SPDX-License-Identifier: MIT */
/*
 * The sources of a Python interpreter and of frameworks, of those that sources.h begins.
 */
#ifndef PRELOAD_INTERPRETED_H
#define PRELOAD_INTERPRETED_H

#include "preload/start/settings.h"

/* From the constructor only, after states_begin(). */
void interpreted_begin(const struct settings *settings);

/* In the child of a fork. */
void interpreted_after_fork(void);

/* The calling thread has a ring now. */
void interpreted_thread_begins(void);

/* By the drain thread, when it begins. */
void interpreted_drain_begins(void);

#endif
