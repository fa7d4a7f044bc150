/* SPDX-License-Identifier: MIT */
/*
 * The ranges that a thread has pushed and not yet popped. Each domain has a stack of its own; they
 * share the room, because a thread rarely has more than a few open.
 *
 * A pop takes the newest range of its domain. When the room is full the oldest
 * range gives way: what is that deep has usually been left behind by a program that forgot
 * to pop. Its pop then finds no range, but the right level.
 *
 * A stack belongs to one thread; zeroed memory is an empty one. No allocation, no lock.
 */
#ifndef PRELOAD_NVTX_STACK_H
#define PRELOAD_NVTX_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define NVTX_DEPTH   128u /* a power of two */
#define NVTX_DOMAINS 256u

/* A range between its begin and its end. */
struct nvtx_range {
	uint64_t begin; /* ticks; 0: recording was off, its end is not recorded either */
	bool counted;   /* it was off, but what ends steps is counted */
	uint64_t payload;
	uint32_t name, place;
	uint32_t domain;      /* name of the domain */
	uint32_t category;    /* of the program's own numbering */
	uint32_t flags;       /* enum range_flags */
	uint16_t domain_slot; /* below NVTX_DOMAINS; NVTX_DOMAINS: popped out of order */
};

struct nvtx_stack {
	/* Ranges bottom to top - 1 are here, at these numbers modulo NVTX_DEPTH. */
	uint64_t bottom, top;
	struct {
		uint32_t depth; /* pushed and not popped */
		uint32_t kept;  /* of these, still here */
	} domains[NVTX_DOMAINS];
	struct nvtx_range ranges[NVTX_DEPTH];
};

/*
 * Push range, whose domain_slot is set. Returns its level in its domain, from 0. *ret_lost: a range
 * that was to be recorded gave way to it.
 */
int nvtx_stack_push(struct nvtx_stack *stack, const struct nvtx_range *range, bool *ret_lost);

/*
 * Pop the newest range of a domain. Returns its level, or -1 when the domain has none. *ret_range
 * is the range, with a begin of 0 when it gave way to others.
 */
int nvtx_stack_pop(struct nvtx_stack *stack, unsigned domain_slot, struct nvtx_range *ret_range);

/* The ranges that are open will not be recorded, but are popped as before (after a fork). */
void nvtx_stack_silence(struct nvtx_stack *stack);

/* As empty as zeroed memory. */
void nvtx_stack_clear(struct nvtx_stack *stack);

#endif
