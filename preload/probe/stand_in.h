/* SPDX-License-Identifier: MIT */
/*
 * One function of ours in the place of another, for one library alone: what it calls by that name
 * from then on is ours. Others, and the program, call what they did. Takes the loader's lock; one
 * thread at a time.
 */
#ifndef PRELOAD_PROBE_STAND_IN_H
#define PRELOAD_PROBE_STAND_IN_H

#include <stdint.h>

/* path: of the loaded library. NULL, or why not. */
const char *stand_in(const char *path, const char *symbol, uintptr_t ours);

#endif
