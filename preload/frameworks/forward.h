/* SPDX-License-Identifier: MIT */
/*
 * Functions of a framework that ours stand in for, by having their names: the true ones, to be
 * forwarded to. Whoever calls one of ours was linked against a definition of its own or of a
 * library that it needs, so it is looked for from the caller on; that works for every name that the
 * library may have. Where the caller has none, whoever has one is taken. Any thread; keeps errno.
 */
#ifndef PRELOAD_FRAMEWORKS_FORWARD_H
#define PRELOAD_FRAMEWORKS_FORWARD_H

#include <stddef.h>

struct forward {
	const char *symbol;
	void *real; /* NULL: not looked for yet, or not there */
};

/* Look it up for the first time; caller: an address in the library that called. */
void *forward_find(struct forward *forward, const void *caller);

static inline void *forward_next(struct forward *forward, const void *caller)
{
	void *real = __atomic_load_n(&forward->real, __ATOMIC_RELAXED);
	return __builtin_expect(real != NULL, 1) ? real : forward_find(forward, caller);
}

#endif
