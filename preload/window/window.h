/* SPDX-License-Identifier: MIT */
/*
 * When recording is on: while the step that runs is one of those that were asked for, and the user
 * has not switched it off. Whoever notices that a mark of a step has ended tells it, whether it was
 * recorded or not; window_counts says whether that is wanted at all.
 *
 * Steps are numbered as the analyzer does: step 0 reaches to the end of the first mark, of the
 * best kind that has come (an explicit mark, an optimiser, a loader); of several optimisers the one
 * counts that comes most often, and of those that come equally often the one that was last to come
 * for the first time. What ends while recording is off is counted in the trace.
 *
 * On any thread; window_toggle() and window_profiler() also in signal handlers. No lock, no heap.
 */
#ifndef PRELOAD_WINDOW_H
#define PRELOAD_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/collector.h"
#include "preload/window/mark.h"

enum window_begin {
	WINDOW_ON,
	WINDOW_OFF,      /* until the user switches it on */
	WINDOW_PROFILER, /* from cudaProfilerStart to cudaProfilerStop */
};

struct window_steps {
	bool chosen; /* else all */
	uint64_t first, last;
};

struct window_options {
	enum window_begin begin;
	struct window_steps steps;
	bool toggles; /* a signal may come */
	bool counts;  /* steps are counted though recording is never off */
};

/* Marks are to be told: recording may be off at times, or steps are asked for. */
extern bool window_counts __attribute__((visibility("hidden")));

/* Before all else; and when the collector is configured: recording is on from now on, or off. */
void window_init(const struct window_options *options);
void window_start(void);

/* From now on called at the end of each step after the chosen ones. */
void window_after(void (*passed)(void));

/* From now on called at the end of each step, on its thread, which holds the guard. */
void window_each_step(void (*ended)(void));

/*
 * From now on told whether recording is on: when it is switched, soon after the user's signal,
 * which tells nobody, and at times when nothing has changed. Any thread, several at once.
 */
void window_each_change(void (*changed)(bool on));

/* What was switched by a signal is told now. On the drain thread, every now and then. */
void window_tell(void);

/* Recording may be off at times. */
bool window_pauses(void);

/* What ends a step is recorded, or at least counted. */
static inline bool window_sees(void)
{
	return collector_enabled != 0 || window_counts;
}

/*
 * A mark of a step has ended. name and object tell those of a kind apart; recorded: it is in the
 * trace.
 */
void window_mark(enum pause_kind kind, uint32_t name, uint64_t object, bool recorded);

/* The same of a range of the program, which began at that tick: an outer one of others is none. */
void window_range(enum pause_kind kind, uint64_t begin, bool recorded);

/* The program may switch recording off by window_switch(). On any thread. */
void window_may_pause(void);
void window_switch(bool on);

/* The user's signal. */
void window_toggle(void);

/* cudaProfilerStart, cudaProfilerStop. */
void window_profiler(bool on);

/* Into text, why recording was never on; false: it was, or was not asked to be off. */
bool window_reason(char *text, size_t size);

/* The program has made steps, and none of those that were asked for. */
bool window_missed(void);

/* In the child of a fork, before the collector's: its steps are its own. */
void window_after_fork(void);

#endif
