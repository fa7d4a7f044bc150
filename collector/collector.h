/* SPDX-License-Identifier: MIT */
/*
 * The boundary between the hooks and everything behind them. A hook asks for a
 * slot in the calling thread's ring, fills it and commits; all else (files, threads,
 * encoding) happens behind this header. Nothing is started before the first event:
 * a process without events leaves nothing behind.
 *
 * collector_reserve() and collector_commit() may be called from any thread at
 * any time, also before start, during exit, after fork and in a signal handler whose
 * thread does not hold the guard; they never block, allocate from the heap, or change
 * errno. What records refer to by id, and what the file says about the recording, is the
 * other half of the boundary: describe.h. The collector never reads the environment:
 * preload/start/settings.c hands it plain values.
 */
#ifndef COLLECTOR_COLLECTOR_H
#define COLLECTOR_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/clock.h"
#include "collector/base/linkage.h"
#include "collector/buffer/options.h"
#include "collector/format/live.h"
#include "collector/format/record.h"

/*
 * Remember options (copied with out_dir and role; a relative out_dir counts from the folder of
 * now); starts nothing. Once per process. 0 or a negative code.
 */
int collector_configure(const struct collector_options *options);

/*
 * Recording on or off. Hooks look at collector_enabled; when it is 0 they do not ask for a slot, a
 * thread without a ring gets none, and nothing is counted as lost. Thread-safe, also in a signal
 * handler.
 */
void collector_enable(bool on);

extern int collector_enabled LINKAGE_HIDDEN; /* read by hooks first of all */

struct live_ring;
struct ring;
extern __thread struct collector_thread {
	struct live_ring *ring; /* NULL: not attached yet */
	struct record *records;
	uint64_t mask;
	uint64_t head;       /* own copy of ring->head */
	uint64_t seen_tail;  /* last tail that was read */
	struct ring *whole;  /* that ring is the shared part of */
	const void *watched; /* as collector_watch() said last */
} collector_thread LINKAGE_TLS;

/* An event has started the recording in this process, and nothing has ended it. */
bool collector_is_running(void);

/* Attach the calling thread (starts the collector at the first event). False: not recording. */
bool collector_attach(void);

/* The ring is full according to seen_tail: reread it, wake the drain thread, count a loss. */
struct record *collector_reserve_slow(void);

/* Passed the half: wake the drain thread. Never blocks. */
void collector_wake(void);

/*
 * A slot for one record of the calling thread, all fields undefined; NULL when recording is off or
 * the ring is full (then the loss is counted). Every non-NULL slot must be committed before
 * the next.
 */
static inline struct record *collector_reserve(void)
{
	struct collector_thread *self = &collector_thread;
	if (__builtin_expect(self->ring == NULL, 0) && !collector_attach())
		return NULL;
	if (__builtin_expect(self->head - self->seen_tail > self->mask, 0))
		return collector_reserve_slow();
	return &self->records[self->head & self->mask];
}

/*
 * From now on options.read_stack is to look at subject for the calling thread; NULL: at nothing.
 * The mark is for the one who looks: what is to be found there as long as it is this thread's. Ends
 * with the thread and with fork(). Before the thread's first event it does nothing: call again
 * while collector_thread.watched is another. Keeps errno.
 */
void collector_watch(const void *subject, uint64_t mark);

/* Publish the slot. */
static inline void collector_commit(void)
{
	struct collector_thread *self = &collector_thread;
	uint64_t head = ++self->head;
	__atomic_store_n(&self->ring->head, head, __ATOMIC_RELEASE);
	if (__builtin_expect((head & (self->mask >> 1)) == 0, 0))
		collector_wake();
}

/*
 * Clean end: drain, write the end map, remove the live file. reason as in meta.def. Later events
 * are dropped silently (the process is ending). Waits at most two seconds. Idempotent.
 * After "exec", collector_resume() takes recording up again if the exec failed.
 */
void collector_stop(const char *reason);
void collector_resume(void);

/* In the child of fork(): forget the parent's rings and files, count nothing twice. */
void collector_after_fork(void);

/* For the closing line: totals of this process; all 0 when nothing was recorded. */
struct collector_totals {
	uint64_t events, lost, bytes;
	const char *path; /* of the trace file, NULL: none */
	const char *out_dir;
};
void collector_get_totals(struct collector_totals *ret_totals);

#endif
