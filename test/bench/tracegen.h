/* SPDX-License-Identifier: MIT */
/*
 * A seeded model of a training process, without a GPU: the records that the
 * hooks and the device would give, in the blocks in which a drain thread would
 * find them. Benches and tests of the format and the analyzer rest on it.
 *
 * A step is a fixed list of launches (2,000 by default, about 4,700 events with what
 * belongs to them): each has its kernel, grid, block, stream and line of the script
 * for good; names are drawn with a skew; every third launch runs inside an operator;
 * some launches are copies, some are preceded by an allocation; a loader thread reads.
 * Recorded within a budget, all but the first steps have operators only now and then.
 * Times are jittered: exponential gaps and call overheads, kernels with a sigma of 2 %.
 * Device records come in batches of 4,096 on a thread of their own, late: after most of
 * the calls that they belong to.
 *
 * Only integers: the same options give the same records on every machine. The
 * totals are counted where records are made, independently of encoder and reader.
 */
#ifndef TEST_BENCH_TRACEGEN_H
#define TEST_BENCH_TRACEGEN_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/codec/codec.h"

struct tracegen_options {
	uint64_t events; /* stop after the block in which this many were made */
	uint64_t seed;
	unsigned launches;   /* per step and thread */
	unsigned names;      /* of kernels */
	unsigned places;     /* lines of the script */
	unsigned threads;    /* that launch */
	unsigned sync_every; /* launches between two reads of a scalar; 0: one sync per step only */
	unsigned loss_permille; /* of the host's records */
	unsigned rank;
	unsigned ids; /* correlation ids that a call uses up: real ones are few of many */
	bool device;  /* with what its interface tells of calls, and its state */
	bool host;    /* with what Python and the kernel do to the threads, and samples of stacks */
	bool budget;  /* operators in bursts of steps, as with LIBTRACE_BUDGET */
};

/* The defaults of the description above, for events events. */
struct tracegen_options tracegen_defaults(uint64_t events);

struct tracegen_block {
	uint32_t thread;
	uint64_t first_sequence;
	const struct record *records; /* valid until the next block is asked for */
	unsigned count;               /* up to CODEC_BLOCK_LIMIT */
	uint64_t lost; /* records of this thread that were not stored since its last block */
	uint64_t lost_first_ns, lost_last_ns;
};

struct tracegen_totals {
	uint64_t events[RECORD_KIND_LIMIT];
	uint64_t duration_ns[RECORD_KIND_LIMIT];
	uint64_t bytes[RECORD_KIND_LIMIT]; /* of COPY and DEVICE_COPY */
	uint64_t lost;
	double noise_bits; /* entropy of the jitter that was drawn: no lossless file is smaller */
};

struct tracegen;

struct tracegen *tracegen_new(const struct tracegen_options *options); /* NULL: no memory */
void tracegen_free(struct tracegen *tracegen);                         /* NULL is fine */

/* Next block; false when all events have been delivered. */
bool tracegen_next(struct tracegen *tracegen, struct tracegen_block *ret_block);

/* Call define for every definition and state that belongs at the start of the file. */
void tracegen_define(const struct tracegen *tracegen,
	void (*define)(void *context, const struct meta *meta), void *context);

/* Of the blocks delivered so far. */
const struct tracegen_totals *tracegen_totals(struct tracegen *tracegen);

/* Number of NAME, PLACE and THREAD definitions. */
unsigned tracegen_name_count(const struct tracegen *tracegen);
unsigned tracegen_place_count(const struct tracegen *tracegen);
unsigned tracegen_thread_count(const struct tracegen *tracegen);

#endif
