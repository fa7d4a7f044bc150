/* SPDX-License-Identifier: MIT */
/*
 * Messages that go into queues of Python's multiprocessing: which batch a loader asks a worker for,
 * and when the worker has given it. They are written by threads of the queues' own, which do
 * nothing else and are not recorded otherwise; so on a thread without a ring the first few writes
 * are looked at, and no more once they were no messages.
 *
 * A message is known by its bytes alone: a length, then a pickled pair whose first is a number.
 * They are read after the write, by a call that cannot fault. errno is kept.
 */
#ifndef PRELOAD_HOOKS_QUEUE_H
#define PRELOAD_HOOKS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The number of a message that is size bytes at buffer, with or without its length before it; -1:
 * it is none, or cannot be read.
 */
int64_t queue_number(const void *buffer, size_t size);

#endif
