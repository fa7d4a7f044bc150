/* SPDX-License-Identifier: MIT */
/*
 * What PyTorch's caching allocator holds on each device: it tells its profiler of each allocation
 * and free, also while none is there, and is heard on the way. What was there at most is kept and
 * recorded when it takes memory from the device or gives it back, every few milliseconds, before
 * each step of an optimiser and at the end of the process.
 *
 * Only when asked for (LIBTRACE_SOURCES).
 */
#ifndef PRELOAD_TORCH_MEMORY_H
#define PRELOAD_TORCH_MEMORY_H

#include <stdbool.h>

/* Before the first event; off is the default. */
void memory_enable(bool on);

/* PyTorch is attached. Takes the loader's lock; not in a hot hook. */
void memory_attach(void);

/* An optimiser is about to step on the calling thread, which holds the guard. */
void memory_step(void);

#endif
