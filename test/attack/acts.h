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

/* And in unusual.c. */
int work_in_strict_mode(act_work *work);
int fork_strictly(act_work *work);
int clone_clear(act_work *work);
int use_ring(act_work *work);
int give_pages(act_work *work);
int be_attached(act_work *work);
int change_namespace(act_work *work);
int use_many_threads(act_work *work);
int unload_plugins(act_work *work);
int leave_late(act_work *work);
int abort_late(act_work *work);
int end_in_handler(act_work *work);
int use_small_stack(act_work *work);
int take_all_memory(act_work *work);
int be_trusted(act_work *work);

/* And in rare.c. */
int trap_numbers(act_work *work);
int call_in_fork(act_work *work);
int use_timers(act_work *work);
int use_fibers(act_work *work);
int become_another(act_work *work);
int be_locked_in(act_work *work);
int load_beside(act_work *work);
int call_while_loading(act_work *work);

/* And in sealed.c. */
int write_from_strict_mode(act_work *work);
int fork_decoders(act_work *work);
int forbid_few(act_work *work);
int load_and_fork(act_work *work);
int give_up_clock(act_work *work);
int end_threads(act_work *work);
int keep_state(act_work *work);

/* In calls.c: so many calls are made by somebody else. */
void act_count(unsigned calls);

/* The value by which the stand-in runtime is asked to say whose memory it is. */
#define ATTACK_WHO 0x77

#endif
