/* SPDX-License-Identifier: MIT */
/*
 * Whose turn it is to use CUPTI's activity interface, which is one per process: ours, or that of
 * another tool in it.
 *
 * The other's turn begins when it registers or enables anything, and before that call goes through
 * yield() is called. It ends when nothing that it has enabled is on any more and it
 * has fetched its records with a forced flush: torch.profiler disables its kinds, flushes, and then
 * still sets attributes, which must not happen while another session runs. Therefore resume() is
 * called CUPTI_TURN_PAUSE_MS later, by a thread of its own, unless the other has begun again. A
 * tool that never flushes keeps the turn: its records would come to us.
 *
 * Any thread; a call may wait, three seconds at most, for a yield or resume in progress on another
 * thread. In a forked child nothing is called.
 */
#ifndef PRELOAD_CUPTI_TURN_H
#define PRELOAD_CUPTI_TURN_H

#include <stdbool.h>
#include <stdint.h>

#define CUPTI_TURN_PAUSE_MS 200u

struct cupti_turn_options {
	void (*yield)(const char *who); /* who is kept until the next yield */
	void (*resume)(void);
	void (*keep_off)(void); /* called first on a thread of ours: no hook records on it */
};

/* What another tool can have on. */
enum cupti_held {
	CUPTI_HELD_KIND,
	CUPTI_HELD_RUNTIME_CALL, /* all of them are off with their kind */
	CUPTI_HELD_DRIVER_CALL,
	CUPTI_HELD_OTHER, /* any number that is not 0: a subscriber, a kind of a context */
};

/* Once, before anything else; without it, everything below does nothing. NULL: never mind. */
void cupti_turn_init(const struct cupti_turn_options *options);

/* The other's turn, from now on. who is copied. True: until now it was not. */
bool cupti_turn_take(const char *who);

/* Something of the other's is on or off. */
void cupti_turn_hold(enum cupti_held what, uint64_t number, bool on);

/* Nothing of the other's is on. */
void cupti_turn_drop_all(void);

/* The other has fetched its records: if nothing is on, its turn ends. */
void cupti_turn_left(void);

/* In the child of a fork. */
void cupti_turn_after_fork(void);

#endif
