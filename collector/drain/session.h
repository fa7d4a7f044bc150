/* SPDX-License-Identifier: MIT */
/*
 * One recording of this process, from its first event to its end: the folder, the trace
 * file, the live file and the drain thread, made and taken down in the right order. At
 * most one at a time. A process that ends by exec and then does not (the program was not
 * found) takes its recording up again in the same file: the closing frame is cut off.
 *
 * Only the thread that has the right to start or end calls in here (collector.c sees to that),
 * but for session_live(), which any thread may call.
 */
#ifndef COLLECTOR_DRAIN_SESSION_H
#define COLLECTOR_DRAIN_SESSION_H

#include <stdbool.h>

#include "collector/buffer/live.h"
#include "collector/buffer/options.h"

/*
 * Make everything. first is the clock as early as it was read. 0, or a negative code after saying
 * so on stderr; then nothing is left behind, and the program goes on unrecorded.
 */
int session_begin(const struct collector_options *options, const struct clock_triple *first,
	void (*ended)(const char *reason));

/* Drain, close and remove what has to be removed; waits at most timeout_ms. 0 or -ETIMEDOUT. */
int session_end(const char *reason, unsigned timeout_ms);

/* Go on after session_end(). 0 or a negative code. */
int session_resume(const struct collector_options *options, const struct clock_triple *first,
	void (*ended)(const char *reason));

/* Where new rings go. */
struct live *session_live(void);

struct session_totals {
	uint64_t events, lost, bytes;
	const char *path; /* of the trace file, NULL: none */
	bool gone;        /* it is not there any more, or not as it was written */
};

/* Figures so far; all 0 and NULL before the first session of this process. */
void session_totals(struct session_totals *ret_totals);

/* In the child of a fork: let go of the parent's files without touching them. */
void session_forget(void);

#endif
