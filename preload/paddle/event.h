/* SPDX-License-Identifier: MIT */
/*
 * What PaddlePaddle calls in place of its own functions (interposed.def): each forwards, and
 * records an operator, a range or a wait for data while that is wanted.
 */
#ifndef PRELOAD_PADDLE_EVENT_H
#define PRELOAD_PADDLE_EVENT_H

extern int event_recording __attribute__((visibility("hidden"))); /* 0: forwards only */

/*
 * The host is about to read a tensor, and has done so: an operator of that name with the line that
 * asked for it. key: an address that is the reader's own meanwhile. errno is kept.
 */
void event_read_begins(const void *key, const char *name);
void event_read_ended(const void *key);

/* Nothing is open on this thread: in the child of a fork. */
void event_forget(void);

#endif
