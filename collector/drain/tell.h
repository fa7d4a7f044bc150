/* SPDX-License-Identifier: MIT */
/*
 * What the drain thread says in the file about the recording: the run description, states,
 * clocks and counters, each when it is new, and all of it once more in the closing frame. Takes
 * from buffer/state.h what other threads have added. Drain thread only.
 */
#ifndef COLLECTOR_DRAIN_TELL_H
#define COLLECTOR_DRAIN_TELL_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/buffer/options.h"
#include "collector/buffer/state.h"
#include "collector/drain/slew.h"
#include "collector/write/writer.h"

struct tell {
	const struct collector_options *options;
	uint64_t begin_ns; /* of the first event */
	uint64_t begin_realtime_ns;
	bool described; /* the run description is in the file */
	const char *described_memory;
	int64_t described_rank;
	bool told[STATE_LIMIT];
	uint64_t counters_told[COUNTER_COUNT];
};

/* A file begins. options are kept; first is the early clock measurement. */
void tell_begin(struct tell *tell, const struct collector_options *options,
	const struct clock_triple *first);

/* Everything is to be said once more. */
void tell_again(struct tell *tell);

/* The run description and the states that are not in the file yet. */
void tell_states(struct tell *tell, struct writer *writer, uint64_t now_ns);

/* The clocks of now. */
void tell_clock(struct writer *writer, const struct slew *slew, uint64_t now_ns);

/* The counters that have changed, and the processor time of the calling thread. */
void tell_counters(struct tell *tell, struct writer *writer, uint64_t now_ns);

#endif
