/* SPDX-License-Identifier: MIT */
/*
 * Small pieces of zeroed memory for the tables of the hooks, cut from mapped blocks.
 *
 * Nothing is ever given back, so a table's readers need no protection. Not the
 * heap: usable where malloc itself may be on the stack below. Lock-free, any thread, any
 * time; errno is kept.
 */
#ifndef PRELOAD_ARENA_H
#define PRELOAD_ARENA_H

#include <stddef.h>

#define ARENA_LIMIT (8u << 10) /* largest piece */

/* size zeroed bytes, aligned to 16, or NULL when size is above the limit or memory is out. */
void *arena_take(size_t size);

/* size zeroed bytes in pages of their own, or NULL. */
void *arena_pages(size_t size);

#endif
