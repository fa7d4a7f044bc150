/* SPDX-License-Identifier: MIT */
/*
 * What the whole driver shares: one lock, whether cuInit has run, whether this process is a fork
 * of one that had initialised CUDA, and the error that sticks.
 *
 * The lock guards all tables and all modelled times. It is held for short stretches only: never
 * while waiting for the modelled device, while a kernel is computed on the host, or while a
 * function of the program is called. Functions named *_locked expect it to be held.
 */
#ifndef CUDASIM_CORE_STATE_H
#define CUDASIM_CORE_STATE_H

void state_lock(void);
void state_unlock(void);

/* cuInit: 0, or an error when there is no device or this is a forked child. */
int state_init(void);

/* 0 when cuInit has run in this process, else cudaErrorInitializationError. */
int state_check(void);

/* The error after which the context is of no use any more, 0 when there is none. */
int state_sticky(void);

/* Remembers error if it is one of those that stick; others are ignored. Any thread. */
void state_note_error(int error);

/* cudaDeviceReset: forgets the sticky error. */
void state_reset(void);

#endif
