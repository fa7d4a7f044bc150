/* SPDX-License-Identifier: MIT */
/*
 * A process among those of several hosts and runs, of which some may have the same number: the
 * system's number of the process in the low half, of whom it is one in the high one. Of use within
 * one run of the analyzer only. Pure functions.
 */
#ifndef ANALYZER_RANKS_IDENTITY_H
#define ANALYZER_RANKS_IDENTITY_H

#include "collector/format/definition.h"

#define IDENTITY_NONE UINT64_MAX

/* Of a process that run speaks of, by its number: itself, its parent. run NULL: IDENTITY_NONE. */
uint64_t identity_of(const struct meta_RUN *run, uint64_t pid);

/* Equal for processes of one host, whatever the run. NULL and "": of no host's name. */
uint64_t identity_host(const struct meta_RUN *run);

/* Of the process itself. run NULL: IDENTITY_NONE. */
static inline uint64_t identity_own(const struct meta_RUN *run)
{
	return identity_of(run, run != NULL ? run->pid : 0);
}

/* The system's number. */
static inline uint64_t identity_pid(uint64_t identity)
{
	return identity & UINT32_MAX;
}

#endif
