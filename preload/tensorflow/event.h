/* SPDX-License-Identifier: MIT */
/*
 * What TensorFlow calls in place of its own functions (interposed.def). What is handed over has
 * ended on the thread that hands it over, so it is recorded with that moment as its end.
 */
#ifndef PRELOAD_TENSORFLOW_EVENT_H
#define PRELOAD_TENSORFLOW_EVENT_H

#include "preload/frameworks/forward.h"

enum tensorflow_id {
#define INTERPOSED(id, form, symbol) TENSORFLOW_##id,
#include "preload/tensorflow/interposed.def"
#undef INTERPOSED
	TENSORFLOW_COUNT
};

extern struct forward tensorflow_functions[] __attribute__((visibility("hidden")));

/*
 * Record from now on. refused: told of events that are not laid out as they are known; nothing is
 * recorded any more then.
 */
void event_begin(void (*refused)(const char *reason));

#endif
