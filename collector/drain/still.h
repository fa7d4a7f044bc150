/* SPDX-License-Identifier: MIT */
/*
 * Times of which the trace has nothing, as events (MARK) of the drain thread: recording was
 * switched off, or the process did not run, which shows in a sleep of the drain thread that lasted
 * far longer than it should have, or in work of it that did, while the process hardly used the
 * processor, and not because there was none for the thread. Work with files says nothing: they are
 * slow at times. So a stop in the middle of that is not seen. Drain thread only; an all-zero struct
 * has told nothing.
 */
#ifndef COLLECTOR_DRAIN_STILL_H
#define COLLECTOR_DRAIN_STILL_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/record.h"

/* A sleep may last that much longer on a busy machine. */
#define STILL_LATE_NS 200000000u

struct still {
	/* how long the drain thread was ready and had no processor; UINT64_MAX: unknown */
	uint64_t (*delayed_ns)(void);
	uint64_t since_ns;              /* where the stretch that is looked at began; 0: none has */
	uint64_t cpu_ns, cpu_at_ns;     /* processor time of the process then or shortly before */
	uint64_t delay_ns, delay_at_ns; /* what delayed_ns() said shortly before that, and when */
	uint64_t told;                  /* stretches without recording */
};

/* A session begins. */
void still_begin(struct still *still, uint64_t (*delayed_ns)(void));

/* The drain thread goes to sleep, or begins to work. */
void still_watch(struct still *still, uint64_t now_ns);

/* What comes now may take any time. */
void still_ignore(struct still *still);

/*
 * It has slept or worked, for wait_ns at most if all went well. True: the process has not run
 * meanwhile. Nothing is watched then.
 */
bool still_look(struct still *still, uint64_t now_ns, uint64_t wait_ns, struct record *ret_mark);

/*
 * The next stretch without recording that has ended; one that has not ends now when the trace does
 * (closing).
 */
bool still_next(struct still *still, uint64_t now_ns, bool closing, struct record *ret_mark);

#endif
