/* SPDX-License-Identifier: MIT */
/*
 * Events that found no ring: their thread had none yet while another one was at starting the
 * recording, or there was no memory for one. They are counted in the live file (struct
 * live_unowned) as soon as there is one, so that a process that is killed has told of them: before
 * that, where it is moved from.
 *
 * Counting is for any thread at any time; adopting for the one that starts a recording; the rest
 * for the drain thread.
 */
#ifndef COLLECTOR_BUFFER_UNOWNED_H
#define COLLECTOR_BUFFER_UNOWNED_H

#include <stdint.h>

#include "collector/buffer/live.h"

/* One more, which began at ticks. */
void unowned_count(uint64_t ticks);

/* They are counted in live from now on, with those that nobody has told of yet. */
void unowned_adopt(struct live *live);

/* How many there were since this was asked last, with their range, which is untouched for 0. */
uint64_t unowned_take(uint64_t *ret_first_ticks, uint64_t *ret_last_ticks);

/* All that were taken are in the file or in the pending frame. */
void unowned_tell(void);

/* In the child of a fork: none, and the live file is its parent's. */
void unowned_forget(void);

#endif
