/* SPDX-License-Identifier: MIT */
/*
 * What the library keeps of a thread, in one block: a hook reaches all of it by one address, which
 * it reads once. Small and static, valid from the thread's first instruction to its last. Who owns
 * a part says more of it: collector.h of the ring, preload/thread of the rest.
 */
#ifndef COLLECTOR_OWN_THREAD_H
#define COLLECTOR_OWN_THREAD_H

#include <stdint.h>

#include "collector/own/linkage.h"

struct live_ring;
struct operators;
struct record;
struct ring;

struct own_collector {
	struct live_ring *ring; /* NULL: not attached yet */
	struct record *slot;    /* where the next record goes */
	struct record *stop;    /* the first slot before which the ring must be looked at again */
	uint64_t mask;
	struct ring *whole;  /* that ring is the shared part of */
	const void *watched; /* as collector_watch() said last */
};

union own_guard {
	struct {
		uint32_t busy; /* inside the library */
		uint32_t
			call_depth; /* over 0: a hooked call is in progress, of what hooks.c says */
	};
	uint64_t any;
};

struct own_state {
	void *caller;         /* return address of the last hooked CUDA call */
	void *stack;          /* frame of the last one; NULL: none, and the thread does not train */
	uint64_t device_bits; /* the current device, in bits 48 to 63 */
	uint64_t wait_end;    /* of the last wait in libc that was recorded, ticks */
	uint64_t chosen_bits; /* as cudaSetDevice chose it: counts when no context is current */
	uint32_t place;       /* Python's, of the last call that had one */
	uint32_t number : 28; /* as marks count threads; 0: not yet */
	/* how often in turn it wrote what was for no queue between processes; up to 8 */
	uint32_t not_queued : 4;
	struct operators *operators; /* of frameworks, that are open; NULL: none yet */
};

extern __thread struct thread_block {
	struct own_collector collector;
	union own_guard inside;
	struct own_state state;
} thread_block LINKAGE_TLS;

#endif
