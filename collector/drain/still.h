/* SPDX-License-Identifier: MIT */
/*
 * Times of which the trace has nothing, as events (MARK) of the drain thread: recording was
 * switched off, or the process did not run, which shows in a turn of the drain thread that lasted
 * far longer than it should have while the process hardly used the processor. Drain thread only;
 * an all-zero struct has told nothing.
 */
#ifndef COLLECTOR_DRAIN_STILL_H
#define COLLECTOR_DRAIN_STILL_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/format/record.h"

struct still {
	uint64_t since_ns, cpu_ns; /* at the last look */
	uint64_t told;             /* stretches without recording */
};

/*
 * The drain thread has slept, for wait_ns at most if all went well, and worked before that since it
 * looked last. True: the process has not run meanwhile. The first look only begins.
 */
bool still_look(struct still *still, uint64_t now_ns, uint64_t wait_ns, struct record *ret_mark);

/*
 * The next stretch without recording that has ended; one that has not ends now when the trace does
 * (closing).
 */
bool still_next(struct still *still, uint64_t now_ns, bool closing, struct record *ret_mark);

#endif
