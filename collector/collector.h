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
#include "collector/buffer/options.h"
#include "collector/format/live.h"
#include "collector/format/record.h"
#include "collector/own/family.h"
#include "collector/own/thread.h"
#include "collector/own/wiped.h"

/*
 * Remember options (copied with role; a relative out_dir too, and it counts from the folder of
 * now; an absolute one is kept); starts nothing. Once per process. 0 or a negative code.
 */
int collector_configure(const struct collector_options *options);

/*
 * Recording on or off. Hooks look at collector_enabled; when it is 0 they do not ask for a slot, a
 * thread without a ring gets none, and nothing is counted as lost. Thread-safe, also in a signal
 * handler.
 */
void collector_enable(bool on);

#define collector_enabled (wiped.recording) /* read by hooks first of all */

#define collector_thread (thread_block.collector)

/* An event has started the recording in this process, and nothing has ended it. */
bool collector_is_running(void);

/* A process that records has forked this one, as far as is known by now: it may begin later. */
bool collector_helps(void);

/* Attach the calling thread (starts the collector at the first event). False: not recording. */
bool collector_attach(void);

/*
 * The slot is not known to be free: attach the thread, look how far the drain thread is, or count a
 * loss. NULL: nothing is to be recorded.
 */
struct record *collector_reserve_slow(void);

/*
 * The ring is half full again: wake the drain thread; or it is time to see what recording takes
 * (collector/buffer/cost.h). Never blocks.
 */
void collector_look(void);

/*
 * A sample of what recording takes beside what collector_commit() sees: so many ticks of the
 * calling thread, once for each of so many events. Returns how many events the next one is to be
 * for.
 */
uint64_t collector_took(uint64_t ticks, uint64_t events);

/*
 * A slot for one record of the calling thread, all fields undefined; NULL when recording is off or
 * the ring is full (then the loss is counted). Every non-NULL slot must be committed before
 * the next.
 */
static inline struct record *collector_reserve(void)
{
	struct record *slot = collector_thread.slot;
	if (__builtin_expect(slot >= collector_thread.stop, 0))
		return collector_reserve_slow();
	return slot;
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
	struct own_collector *self = &collector_thread;
	struct live_ring *ring = self->ring;
	struct record *next = self->slot + 1;
	self->slot = next;
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	/* As below, in one instruction: no other thread writes it, and stores stay in order. */
	__asm__ volatile("incq %0" : "+m"(ring->head) : : "memory");
#else
	__atomic_store_n(
		&ring->head, __atomic_load_n(&ring->head, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
#endif
	if (__builtin_expect(next == self->stop, 0))
		collector_look();
}

/* How many records the calling thread has published. */
static inline uint64_t collector_published(void)
{
	const struct live_ring *ring = collector_thread.ring;
	return ring != NULL ? __atomic_load_n(&ring->head, __ATOMIC_RELAXED) : 0;
}

/* The calling thread's last record (1), the one before (2), ...; NULL: none, or too far back. */
const struct record *collector_recorded(unsigned back);

/* Ticks that recording took on the calling thread so far, by its samples. */
uint64_t collector_cost(void);

/*
 * Clean end: drain, write the end map, remove the live file. reason as in meta.def. Later events
 * are dropped silently (the process is ending). Waits at most two seconds. Idempotent.
 * After "exec", collector_resume() takes recording up again if the exec failed.
 */
void collector_stop(const char *reason);
void collector_resume(void);

/* Around fork(). In the child: forget the parent's rings and files, count nothing twice. */
void collector_before_fork(void);
void collector_after_fork(void);

/* For the closing line: totals of this process; all 0 when nothing was recorded. */
struct collector_totals {
	uint64_t events, lost, bytes;
	const char *path; /* of the trace file, NULL: none */
	bool gone;        /* removed, replaced or shortened by somebody while it was written */
	const char *out_dir;
};
void collector_get_totals(struct collector_totals *ret_totals);

#endif
