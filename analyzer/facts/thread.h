/* SPDX-License-Identifier: MIT */
/*
 * What is remembered of a thread for the sums over it (sums.h): its last launches, until the ranges
 * and operators around them are known, and what it filled last. Plain data.
 */
#ifndef ANALYZER_FACTS_THREAD_H
#define ANALYZER_FACTS_THREAD_H

#include "analyzer/facts/sums.h"

struct fact_launch {
	uint64_t begin_ns;
	uint32_t name;
	bool named; /* the operator around it is known */
};

/* A function of the backward pass that has ended; line 0: none. */
struct fact_behind {
	uint64_t begin_ns;
	uint32_t line; /* of the operator behind it */
};

struct facts_thread {
	struct fact_launch *launches; /* a circle of so many, which are more as they come */
	uint64_t capacity;            /* 0, or a power of two up to FACTS_LAUNCHES */
	uint64_t launched;
	struct fact_behind behind;
	bool is_main;  /* of the process */
	bool filled;   /* the host has filled a tensor and done nothing since */
	bool captures; /* its last launch went into a graph */
};

/* How many launches are remembered. */
static inline uint64_t facts_remembered(const struct facts_thread *thread)
{
	return thread->launched < thread->capacity ? thread->launched : thread->capacity;
}

/* The last of them (0), the one before (1), ... */
static inline struct fact_launch *facts_last_launch(
	const struct facts_thread *thread, uint64_t before)
{
	return &thread->launches[(thread->launched - 1 - before) & (thread->capacity - 1)];
}

/* A block of the device's memory; bytes 0: freed. */
struct fact_block {
	uint64_t address, bytes;
};

#endif
