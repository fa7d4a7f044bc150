/* SPDX-License-Identifier: MIT */
/*
 * One API call from entry to return: identity, begin and end time, injected faults, the line in
 * the truth log. Every exported function of driver and runtime is wrapped by call_begin and
 * call_end (driver/entry.c, runtime/entry.c expand the wrappers from their tables).
 *
 * Calls of one thread nest: the runtime's call is the parent of the driver call it makes. Details
 * that the inner call knows (stream number, memory kinds, kernel name) are handed to the parent
 * where the parent has not set them itself.
 */
#ifndef CUDASIM_CORE_CALL_H
#define CUDASIM_CORE_CALL_H

#include "../cuda_abi.h"
#include "log.h"
#include "sim.h"

/* As sim_private.call_begin and call_end. */
int call_begin(struct sim_call *call, const char *function, int layer, unsigned flags);
int call_end(struct sim_call *call, int result);

/* The outermost call that this one serves; operations are logged under its id. Never NULL. */
const struct sim_call *call_outermost(const struct sim_call *call);

/* The outermost one that is a call of runtime or driver, not of a vendor library. Never NULL. */
const struct sim_call *call_api(const struct sim_call *call);

/*
 * Keeps the thread busy until the outermost call has cost CUDASIM_LAUNCH, before the API call that
 * this one serves returns: what the log and CUPTI have to do for it is a part of that.
 */
void call_spend(struct sim_call *call);

/* Thread id as in /proc; cached. */
uint32_t call_thread_id(void);

/* As sim_private.set_watch. */
void call_set_watch(sim_watch *watch, int calls);

/* Tells the watcher, if there is one, of a context or a stream. Without any lock held. */
void call_tell(enum sim_moment moment, struct sim_call *call, CUcontext context, CUstream stream);

/* In a forked child: the only thread has a new id and is in no call. */
void call_fork_child(void);

#endif
