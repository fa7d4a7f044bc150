/* SPDX-License-Identifier: MIT */
/*
 * What the files of the generator (tracegen.h) share: tracegen_model.c makes the records, and
 * tracegen_define.c the definitions that they refer to. Nobody else includes this.
 */
#ifndef TEST_BENCH_TRACEGEN_PARTS_H
#define TEST_BENCH_TRACEGEN_PARTS_H

#include "test/bench/tracegen.h"
#include "test/bench/tracegen_noise.h"

#define START_NS      1000000000000ull
#define OP_NAMES      300u
#define FILE_NAMES    12u
#define FIXED_THREADS 2u /* loader, device */
#define STACKS        8u
#define LANE_SLACK    64u /* records that one launch may add to a lane */

/* Ids of hooked functions. */
enum call {
	CALL_LAUNCH = 1,
	CALL_COPY,
	CALL_SYNC,
	CALL_MALLOC,
	CALL_READ,
	CALL_COUNT
};

/* A launch of the step: what never changes about it. */
struct launch {
	struct record host; /* times 0 */
	struct record device;
	struct record op;    /* kind 0: outside any operator */
	struct record alloc; /* kind 0: none */
	uint64_t mean_ns;    /* on the device */
};

/* What a thread has recorded and the drain has not taken yet. */
struct lane {
	struct record records[CODEC_BLOCK_LIMIT + LANE_SLACK];
	unsigned count;
	unsigned batch; /* handed over when it holds this many */
	uint64_t sequence;
	uint64_t now_ns;
	uint64_t lost, lost_first_ns, lost_last_ns;
	unsigned position; /* next launch of the step */
};

struct tracegen {
	struct tracegen_options options;
	struct noise noise;
	struct launch *launches;
	struct lane *lanes; /* threads that launch, then loader, then device */
	struct record *handed;
	uint64_t made;
	uint64_t device_free_ns[8]; /* per stream */
	uint32_t correlation;
	unsigned turn;     /* lane that launches next */
	unsigned steps;    /* of the first lane */
	bool bare;         /* operators are not recorded now */
	unsigned flushing; /* lanes emptied after the last event */
	struct tracegen_totals totals;
};

/* The system's id of a thread; the device's records have none. */
static inline uint64_t thread_tid(const struct tracegen *tracegen, unsigned index)
{
	if (tracegen->options.device && index == tracegen->options.threads + 1)
		return 0;
	return 1000 + 100 * tracegen->options.rank + index;
}

#endif
