/* SPDX-License-Identifier: MIT */
/*
 * Which thread a Python thread state belongs to. Where a state keeps the id differs between
 * versions, so it is searched for in the calling thread's own state, by values that are known: its
 * pthread_t, and from 3.11 on the system's id behind it. Before, the system's id is taken out of
 * what the pthread_t points to, where it is searched for in the same way. Nothing else is assumed,
 * and what is found is checked to be a thread of this process.
 *
 * The state may be gone: all reads are those of peek.h. Any thread. errno may change.
 */
#ifndef PRELOAD_PAUSES_HOLDER_H
#define PRELOAD_PAUSES_HOLDER_H

#include <stdint.h>

/* The system's id of the thread whose state it is; 0 when that cannot be known. */
uint32_t holder_thread(const void *state);

#endif
