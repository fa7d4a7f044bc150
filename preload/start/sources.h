/* SPDX-License-Identifier: MIT */
/*
 * What is recorded: the sources that LIBTRACE_SOURCES chooses (source.def) are switched on, and
 * the state of each is told to the file, with the reason when it is off or absent.
 *
 * Each source is a module of its own that knows how to begin; this is the list of them. Some tell
 * their later states themselves (activity, nvtx, torch, python).
 */
#ifndef PRELOAD_SOURCES_H
#define PRELOAD_SOURCES_H

#include <stdbool.h>

#include "preload/start/settings.h"

/*
 * From the constructor only, after collector_configure(): switch on what settings choose, and tell
 * the file which variables were set. environment is that of main(), or NULL.
 */
void sources_begin(const struct settings *settings, char *const *environment, const char *own_path);

/* Whether the process and the host are sampled, which is the collector's own work. */
bool sources_want_samples(const struct settings *settings);

/* The calling thread is about to record its first event. */
void sources_thread_begins(void);

/* The drain thread has begun, and calls this. */
void sources_drain_begins(void);

/* In the child of a fork, before collector_after_fork(). No lock, no heap. */
void sources_after_fork(void);

#endif
