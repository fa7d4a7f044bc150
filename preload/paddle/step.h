/* SPDX-License-Identifier: MIT */
/*
 * Steps of optimisers: no function of the library encloses one, but it updates parameter after
 * parameter. What lies between the first update and the last is a range. It is recorded with the
 * last update once it is known how many there are, before that when the thread does something else
 * that is none of the optimiser's own code.
 *
 * Of the calling thread, which holds the guard. errno is kept.
 */
#ifndef PRELOAD_PADDLE_STEP_H
#define PRELOAD_PADDLE_STEP_H

#include <stdint.h>

/*
 * An event of that name is about to begin, outside of any other: if it updates a parameter, it is
 * the thread's update until it has ended.
 */
void step_look(const void *event, const char *text);

/* An event has ended, and is recorded. */
void step_ended(const void *event, uint64_t end);

/* What is open is over: the loop goes on, or the program ends. */
void step_close(void);

/* Nothing is open on this thread any more: in the child of a fork. */
void step_forget(void);

#endif
