/* SPDX-License-Identifier: MIT */
/*
 * Our callbacks, as PyTorch has them. That there are any for operators takes PyTorch four times as
 * long as what we do in them: they are switched off where no operators are recorded. A budget wants
 * that for some steps, a window (preload/window) while nothing at all is recorded, and a process
 * that helps another one for good, unless it turns out to train: there one operator in
 * CALLBACKS_RARE is still looked at. Off means that PyTorch has none, since it looks at all that it
 * has, switched off or not, twice for each function of a backward pass. Those of ranges are always
 * on (userscope.h).
 */
#ifndef PRELOAD_CALLBACKS_H
#define PRELOAD_CALLBACKS_H

#include <stdbool.h>

#define CALLBACKS_RARE 32

enum callbacks_reason {
	CALLBACKS_BUDGET = 1,
	CALLBACKS_HELP = 2,
	CALLBACKS_WINDOW = 4
};

/* Have PyTorch call these at the begin and end of what is of a scope. By one thread, at start. */
void callbacks_add(void (*start)(void), void (*end)(void), unsigned scope);

/* Those of ranges are called no more. Any thread. */
void callbacks_end(void);

/* This PyTorch can be told to leave some out. */
bool callbacks_can_switch(void);

/*
 * There is a reason to have none for operators, or it is none any more. Any thread; in the child of
 * a fork the drain thread comes first: PyTorch takes a lock, which a thread that is not there any
 * more may hold.
 */
void callbacks_switch(enum callbacks_reason reason, bool off);

/* As said last. */
bool callbacks_are_off(enum callbacks_reason reason);

/*
 * Around fork(), on its thread: PyTorch is told nothing meanwhile, but by the parent afterwards.
 * After it in the parent, and in the child.
 */
void callbacks_before_fork(void);
void callbacks_forked(void);
void callbacks_after_fork(void);

#endif
