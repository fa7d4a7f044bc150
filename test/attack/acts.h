/* SPDX-License-Identifier: MIT */
/*
 * What programs on a cluster do to themselves in the middle of their work, for calls.c.
 */
#ifndef TEST_ATTACK_ACTS_H
#define TEST_ATTACK_ACTS_H

#include <stdbool.h>

/* So many calls of the program, counted, on the calling thread. */
typedef void act_work(unsigned calls);

/*
 * Does it, with more work where it needs some meanwhile. 0; -ENOENT: there is no such act; else a
 * negative code: it cannot be done here.
 */
int act(const char *how, act_work *work);

#endif
