/* SPDX-License-Identifier: MIT */
/*
 * One line of the host's time out of those of several threads: that of the thread that steps, and
 * in it what others do for it. While it is blocked because it waits for another thread, it is those
 * that work, if they do: a call or an operator of theirs is laid over the wait, a wait of their own
 * never. A thread that takes turns with it (the backward pass of a framework) also has the time
 * for which nothing of the owner's was recorded, and its pauses are code of the owner's.
 *
 * Not thread-safe.
 */
#ifndef ANALYZER_TURNS_H
#define ANALYZER_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/timeline/host.h"

/* The line has pieces before ns. */
static inline bool turns_is_heard(const struct host *host, uint64_t ns)
{
	return host->pieces.count > 0 && host->pieces.items[0].begin < ns;
}

/* Make line a copy of the owner's up to ns, and some pieces beyond. 0 or -ENOMEM. */
int turns_begin(struct host *line, const struct host *owner, uint64_t ns);

/* Lay helper, which may take turns with the owner, over the line up to ns. 0 or -ENOMEM. */
int turns_lay(struct host *line, const struct host *helper, bool turns, uint64_t ns);

#endif
