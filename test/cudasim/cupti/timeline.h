/* SPDX-License-Identifier: MIT */
/*
 * From the device's clock to the client's: its timestamp callback, or CLOCK_REALTIME without one.
 *
 * The callback may count anything (ticks of the processor, for one). So pairs of both clocks are
 * taken, one when the callback is registered and one before each delivery, and times lie on the
 * line through the first and the latest pair.
 */
#ifndef CUDASIM_CUPTI_TIMELINE_H
#define CUDASIM_CUPTI_TIMELINE_H

#include <stdint.h>

typedef uint64_t cupti_timestamp(void);

/* NULL: CLOCK_REALTIME. Any thread. */
void timeline_set_source(cupti_timestamp *callback);

/* Now, by the client's clock. Any thread. */
uint64_t timeline_now(void);

/* Takes a new pair. The delivering thread alone calls these two. */
void timeline_refresh(void);
uint64_t timeline_convert(uint64_t monotonic_ns);

#endif
