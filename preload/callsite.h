/* SPDX-License-Identifier: MIT */
/*
 * Where in the program a hooked call came from: the Python line when the thread has one,
 * else the native return address. Addresses are kept in one table for the process that
 * only grows, so a known one costs a few loads; turning them into module and function is
 * the drain thread's work (collector/symbols.h).
 *
 * Any thread; nothing is allocated, no lock is taken, errno is kept.
 */
#ifndef PRELOAD_CALLSITE_H
#define PRELOAD_CALLSITE_H

#include <stdint.h>

/* Id of the place of a call that returns to address; 0 when there is no room for another. */
uint32_t callsite_place(const void *address);

/* The same without a look at Python frames. NULL gives 0. */
uint32_t callsite_native(const void *address);

#endif
