/* SPDX-License-Identifier: MIT */
/*
 * The functions that ours stand in for (interposed.def), as they are forwarded to. Any thread;
 * keeps errno.
 */
#ifndef PRELOAD_PADDLE_REAL_H
#define PRELOAD_PADDLE_REAL_H

#include "preload/frameworks/forward.h"

enum paddle_id {
#define INTERPOSED(id, form, symbol) PADDLE_##id,
#include "preload/paddle/interposed.def"
#undef INTERPOSED
	PADDLE_COUNT
};

extern struct forward paddle_functions[PADDLE_COUNT] __attribute__((visibility("hidden")));

static inline void *paddle_next(enum paddle_id id, const void *caller)
{
	return forward_next(&paddle_functions[id], caller);
}

#endif
