/* SPDX-License-Identifier: MIT */
/*
 * What the file is told about the sources: which of them are wanted, the state of each that does
 * not tell it itself, and what was set in the environment. Stacks of threads are read from here,
 * too: only the drain thread has to do with them.
 */
#ifndef PRELOAD_START_STATES_H
#define PRELOAD_START_STATES_H

#include <stdbool.h>

#include "collector/collector.h"
#include "preload/start/settings.h"

/* From the constructor only: keep what settings choose, tell the file which variables were set. */
void states_begin(const struct settings *settings, char *const *environment);

/* Have stacks read, if settings choose them. */
void states_want_stacks(const struct settings *settings, struct collector_options *options);

/* In the child of a fork. */
void states_after_fork(void);

bool states_wanted(enum settings_source bit);

/* The states as they are now: by the drain thread, with every run description. */
void states_describe(void);

/* What has changed since, every second. By the drain thread. */
void states_look_again(uint64_t now_ns);

#endif
