/* SPDX-License-Identifier: MIT */
/*
 * A process that a recorded one has forked for help, as a loader's workers are. What it computes is
 * told by its waits and its sampled stacks; its operators are many and small, and none is recorded
 * before it turns out to train itself: it steps an optimiser or draws from a loader, or the thread
 * has called CUDA. Until then PyTorch calls us for few of them (callbacks.h).
 */
#ifndef PRELOAD_TORCH_HELP_H
#define PRELOAD_TORCH_HELP_H

#include <stdbool.h>

#include "collector/format/value.h"
#include "preload/callbacks/callbacks.h"
#include "preload/thread/thread.h"

/* The process helps another one, as far as is known. */
extern bool help_is_all __attribute__((visibility("hidden")));

/* Of the calling thread. */
static inline bool help_skips(unsigned scope)
{
	return help_is_all && scope != OP_USER_SCOPE && thread_state.caller == NULL;
}

/*
 * Something is recorded while help is all: a range of this name, or what it skips no more. True:
 * the process trains itself, and helps no more.
 */
bool help_ends(unsigned scope, const char *text);

/* By the drain thread, when it begins: PyTorch need not call for what is skipped. */
void help_spare(void);

/* In the child of a fork, when the collector has heard of it. */
void help_after_fork(void);

#endif
