/* SPDX-License-Identifier: MIT */
/*
 * The rings of this process: one producer each (a thread), one consumer for all (the
 * drain thread). Memory and counters of a ring lie in the live file (struct live_ring);
 * here is the list of them, who owns which, and what the consumer remembers.
 *
 * ring_take() is called by a thread at its first event. A ring
 * whose thread has ended is found by asking the kernel for the thread (no destructor: those
 * run in an order that nobody controls, and a thread may still record after its own),
 * freed once it is drained, and given to the next thread. First rings are large, later
 * ones smaller, so that a thousand threads stay affordable; a thread that finds its ring full goes
 * on in a larger one.
 */
#ifndef COLLECTOR_BUFFER_RING_H
#define COLLECTOR_BUFFER_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/buffer/cost.h"
#include "collector/buffer/live.h"
#include "collector/buffer/unowned.h"
#include "collector/format/loss.h"

#define RING_HEADER_BYTES 4096u
#define RING_LARGE_COUNT  16u /* rings of full size */
#define RING_MEDIUM_COUNT 64u /* up to here a quarter of it, then a sixteenth */
#define RING_MIN_RECORDS  256u
#define RING_GROWTH       2u                    /* how much larger */
#define RING_GROWN_MOST   4u                    /* times a ring of full size */
#define RING_GROWN_BYTES  (256u << 20)          /* in all */
#define RING_GROWN_SHARE  8u                    /* of the memory that is free */
#define RING_GROWN_LEAST  (16u << 20)           /* a smaller share is left alone */
#define RING_GROWN_LIMIT  (LIVE_RING_LIMIT / 2) /* the numbers beyond are for threads without one */
#define RING_THREAD_LIMIT (LIVE_RING_LIMIT - 16u) /* beyond are the drain thread's own */

/* Events that are not in the file, in ns. */
struct ring_gap {
	uint64_t count;
	uint64_t first_ns, last_ns;
};

struct ring {
	struct live_ring *shared; /* published last; NULL: not made yet */
	struct record *records;
	uint64_t capacity;     /* of them; what is in shared may be taken away */
	uint64_t first;        /* number of the first record that is here, by the owner */
	struct ring *previous; /* to be drained before this one; cleared by the drain thread */
	bool left;             /* the owner goes on in another, by the owner, last */
	bool followed;         /* that one is being drained, by the drain thread */
	/* What a sampler looks at, by the owner; NULL: nothing. The mark comes before it. */
	const void *subject;
	uint64_t mark;
	struct cost cost;   /* of recording, by the owner */
	uint64_t looked_at; /* head at its last sample, by the owner */
	uint64_t published; /* head as of the last look, by the owner */
	/* The rest belongs to the drain thread. */
	uint32_t thread;                        /* whose records are being taken, 0: free */
	uint32_t name_age;                      /* ticks since the name was read */
	bool feeds;                             /* the thread has fed the device, or waited */
	uint64_t active_ns;                     /* when records were taken last */
	uint64_t taken;                         /* how many were */
	uint64_t cpu_ns, cpu_at_ns;             /* the thread's processor time, and when */
	uint64_t lost_told;                     /* of shared->lost, as a gap or in the file */
	uint64_t lost_last_ns;                  /* end of the last such gap */
	struct ring_gap pending;                /* events in the frame that is not written yet */
	struct ring_gap gaps[LOSS_CAUSE_COUNT]; /* to be told */
};

/*
 * A ring for the calling thread, its own from now on: a free one, or a new one of about bytes. NULL
 * when there is neither (RING_THREAD_LIMIT, no memory). When none is free the drain thread is woken
 * to look for ended threads; when most have ended, waits for it, 2 ms at most.
 */
struct ring *ring_take(struct live *live, size_t bytes);

/*
 * A larger ring for the owner of this one, which it leaves full: numbers and thread go on. bytes as
 * for ring_take(). NULL: it is as large as any, or there is no more room for that beside the other
 * rings, or hardly any memory that is free. Owner only.
 */
struct ring *ring_grow(struct live *live, struct ring *ring, size_t bytes);

/* All records of the ring before this one are taken over. Drain thread only. */
bool ring_is_next(struct ring *ring);

/*
 * A ring that stands for a thread whose events do not go through it; with tid 0 the thread never
 * ends. Drain thread only. Its index, or -ENOMEM.
 */
int ring_make_pseudo(struct live *live, const char *name, uint32_t tid);

/*
 * Look how much memory is free, if rings have grown since the last time, and allow a share of it.
 * Drain thread only: threads of the program may have stacks on which that does not fit.
 */
void ring_allow(void);

/* Rings made so far; ring_at(i) for each may have shared == NULL. */
unsigned ring_count(void);
struct ring *ring_at(unsigned index);

/* Capacity in records of the ring number index when bytes are wanted for the first ones. */
uint64_t ring_capacity(unsigned index, size_t bytes);

/* Records that wait; *ret_first is the number of the first. Drain thread only. */
uint64_t ring_waiting(const struct ring *ring, uint64_t *ret_first);

/* The waiting records up to number until are taken over. Drain thread only. */
void ring_release(struct ring *ring, uint64_t until);

/* The owner is to be sampled: subject and mark as collector_watch() says. Owner only. */
void ring_watch(struct ring *ring, const void *subject, uint64_t mark);

/* What to look at in the ring's thread. False: nothing. Drain thread only. */
bool ring_watched(const struct ring *ring, const void **ret_subject, uint64_t *ret_mark);

/* Count a record that found the ring full. Owner only. */
void ring_count_loss(struct live_ring *shared, uint64_t ticks);

/* True when some thread found no free ring since the last sweep. */
bool ring_sweep_wanted(void);

/*
 * Free the drained rings of threads that have ended: of all, or of a few of them in turn. Drain
 * thread only. Returns how many.
 */
unsigned ring_sweep(bool all);

/* As ring_sweep() for that ring alone, where a thread found none free. */
bool ring_sweep_at(unsigned index);

/* A new live file has been made: rings that exist stay where they are, outside of it. */
void ring_adopt(struct live *live);

/* Forget everything, in the child of a fork. */
void ring_forget(void);

#endif
