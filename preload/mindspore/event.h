/* SPDX-License-Identifier: MIT */
/*
 * What MindSpore calls in place of its own functions (interposed.def): each forwards, and records
 * an operator, a wait for data or a read while that is wanted. Any thread; keeps errno.
 */
#ifndef PRELOAD_MINDSPORE_EVENT_H
#define PRELOAD_MINDSPORE_EVENT_H

#include "preload/frameworks/forward.h"

enum mindspore_id {
#define INTERPOSED(id, form, symbol) MINDSPORE_##id,
#include "preload/mindspore/interposed.def"
#undef INTERPOSED
	MINDSPORE_COUNT
};

extern struct forward mindspore_functions[] __attribute__((visibility("hidden")));

/*
 * Record from now on. refused: told of names that are not where they are known; nothing is recorded
 * any more then.
 */
void mindspore_record(void (*refused)(const char *reason));

#endif
