/* SPDX-License-Identifier: MIT */
/*
 * The drain thread: takes records out of the rings, turns their ticks into
 * nanoseconds, and gives them to the writer. It is made at the first event, with
 * all signals blocked, and sleeps most of the time: it wakes every 40 ms while there is
 * something to do, less and less often while there is not, and at once when a ring is
 * half full or somebody asks (buffer/request.h). It holds no lock and nobody waits for it without
 * a bound.
 *
 * Once a second in which something was recorded it also writes the clocks, samples of
 * process and host, counters and losses. An idle process causes no writes at all.
 */
#ifndef COLLECTOR_DRAIN_DRAIN_H
#define COLLECTOR_DRAIN_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/buffer/live.h"
#include "collector/buffer/options.h"
#include "collector/write/sink.h"

struct drain_options {
	struct live *live;
	struct sink *sink;
	const struct collector_options *options; /* kept */
	struct clock_triple first;               /* taken as early as possible */
	uint32_t sequence; /* of the first frame; over 0: goes on after a closing frame */
	void (*ended)(const char *reason); /* the thread ended by itself ("size limit") */
};

/* Start the thread. 0 or a negative code. */
int drain_start(const struct drain_options *options);

/*
 * End the thread: everything that is in the rings, the closing frame, the file closed. 0,
 * -ETIMEDOUT (it goes on by itself), -ENOENT. With *ret_complete whether the file has its end.
 */
int drain_stop(const char *reason, unsigned timeout_ms, bool *ret_complete);

/* Where the closing frame of the last session began, and its number. */
void drain_closing(uint64_t *ret_offset, uint32_t *ret_sequence);

/* Figures of the session; may be read at any time. */
void drain_totals(uint64_t *ret_events, uint64_t *ret_lost);

/* In the child of a fork: there is no thread and never was. */
void drain_forget(void);

#endif
