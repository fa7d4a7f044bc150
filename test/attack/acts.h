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

/* The same one by one, in strange.c. */
int use_namespace(act_work *work);
int fork_storm(act_work *work);
int be_interrupted(act_work *work);
int close_ranges(act_work *work);
int use_huge_stack(act_work *work);
int work_at_exit(act_work *work);
int burst(act_work *work);

/* The value by which the stand-in runtime is asked to say whose memory it is. */
#define ATTACK_WHO 0x77

#endif
