/* SPDX-License-Identifier: MIT */
/*
 * Streams and the order they impose.
 *
 * Nothing runs on a stream: when an operation is enqueued, the moment at which it begins and ends
 * is computed, and the stream remembers the end. Order between streams is the order of these
 * moments: an operation on the legacy default stream begins after all that is on the blocking
 * streams of its context, and operations on blocking streams begin after what is on the legacy
 * stream. A point is such a moment, plus the last function of the program (hostfn.h) that must
 * have returned by then, whose real length nobody can know beforehand, plus the collective that
 * must have met its peers (late.h).
 *
 * Functions expect the state's lock except where they say that they wait.
 */
#ifndef CUDASIM_CORE_STREAM_H
#define CUDASIM_CORE_STREAM_H

#include <stdint.h>

#include "../cuda_abi.h"
#include "sim.h"

struct capture;

struct sim_point {
	uint64_t end_ns;
	uint64_t callback; /* number of a host function, 0: none */
	uint64_t late;     /* number of an operation that waits for other processes, 0: none */
};

enum stream_kind {
	STREAM_LEGACY,
	STREAM_PER_THREAD,
	STREAM_CREATED
};

/* Nodes of a graph that the next captured operation of a stream follows. */
struct node_list {
	CUgraphNode *nodes;
	size_t count;
};

struct CUstream_st {
	uint64_t magic;
	CUcontext context;
	uint32_t id;
	uint32_t flags;
	int priority;
	enum stream_kind kind;
	struct sim_point end;
	uint64_t *ends;          /* of the last CUDASIM_QUEUE operations, a ring */
	uint64_t submitted;      /* operations so far */
	struct capture *capture; /* NULL: not capturing */
	struct node_list tail;   /* while capturing */
	CUstream next_joined;    /* in the same capture */
	CUstream next;           /* free list; thread's list of default streams */
	unsigned char attributes[8][64];
};

#define STREAM_LEGACY_ID 7

/* Makes the context's legacy default stream usable. */
void stream_init_legacy(CUstream stream, CUcontext context);

/* NULL when out of memory. The stream is the driver's; stream_destroy gives it back. */
CUstream stream_create(CUcontext context, uint32_t flags, int priority, enum stream_kind kind);
void stream_destroy(CUstream stream);

/*
 * The stream that a handle means in this call: 0 and the two special handles become the current
 * context's default streams. NULL: no such stream. Takes and releases the lock itself.
 */
CUstream stream_resolve(const struct sim_call *call, CUstream handle);

/* As stream_resolve; also notes the stream's number in the call's detail. */
CUstream stream_of_call(struct sim_call *call, CUstream handle);

struct sim_point point_latest(struct sim_point a, struct sim_point b);

/* What an operation enqueued now has to wait for. */
struct sim_point stream_ready(CUstream stream);

/* The same when that depends on no other process any more: releases the lock while it waits. */
struct sim_point stream_ready_surely(CUstream stream);

/* Records that the stream, and with it the context, is busy until end. */
void stream_advance(CUstream stream, struct sim_point end);

/* Counts an operation that ends then; the launch queue holds it until it ends. */
void stream_submit(CUstream stream, uint64_t end_ns);

/* Waits, without the lock, until the launch queue has room for one more operation. */
void stream_wait_queue(CUstream stream);

/* Has the point passed? Takes no lock. */
int point_passed(struct sim_point point);

/* Waits, without the lock, until it has; marks the call as one that waits for the device. */
void point_wait(struct sim_call *call, struct sim_point point);

#endif
