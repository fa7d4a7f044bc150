/* SPDX-License-Identifier: MIT */
/*
 * What the file is told about the sources: which of them are wanted, the state of each that does
 * not tell it itself, and what was set in the environment.
 */
#ifndef PRELOAD_START_STATES_H
#define PRELOAD_START_STATES_H

#include <stdbool.h>

#include "preload/start/settings.h"

/* From the constructor only: keep what settings choose, tell the file which variables were set. */
void states_begin(const struct settings *settings, char *const *environment);

bool states_wanted(enum settings_source bit);

/* The states as they are now: by the drain thread, with every run description. */
void states_describe(void);

#endif
