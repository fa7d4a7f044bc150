/* SPDX-License-Identifier: MIT */
/*
 * Stacks of other threads' Python frames, for the drain thread: the threads go on meanwhile, no
 * lock is taken, nothing of theirs is written, and whatever lies there or does not, nothing
 * faults. Which thread states there are is told by python.c (collector_watch()), which threads
 * are looked at and how often is decided in collector/drain/stacks.c.
 */
#ifndef PRELOAD_SAMPLER_H
#define PRELOAD_SAMPLER_H

#include <stdint.h>

#include "collector/buffer/options.h"

/* As options.read_stack. Drain thread only. */
enum collector_stack_result sampler_read(
	const void *thread, uint64_t mark, struct collector_stack *ret_stack);

/* Tell the file whether there are stacks. off: why none are wanted, or NULL. */
void sampler_describe(const char *off);

/* In the child of a fork. */
void sampler_after_fork(void);

#endif
