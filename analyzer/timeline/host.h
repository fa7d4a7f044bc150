/* SPDX-License-Identifier: MIT */
/*
 * What the host did, as one line of time pieces: the threads that launch work take
 * turns (a training loop and its backward thread), so their pieces are laid end to end.
 * Calls and operators that follow each other closely become one piece; what lies
 * between pieces is other host code. Pieces come in the order of their ends and later
 * ones may reach back over earlier ones: an operator fills the gaps between its calls,
 * a data loader's range replaces what it contains.
 *
 * Pieces can change until host_close(); closed ones are kept until host_drop(), because
 * the time may be accounted much later. Not thread-safe.
 */
#ifndef ANALYZER_HOST_H
#define ANALYZER_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/queue.h"

enum piece_kind {
	PIECE_LAUNCH,  /* in calls that enqueue, in operators, and back to back between them */
	PIECE_WAIT,    /* in a call that waits for the device */
	PIECE_BLOCKED, /* in a launch that waits because the device's queue is full */
	PIECE_COPY,    /* in a copy to the device that returns late */
	PIECE_ALLOC,
	PIECE_INPUT, /* waiting for the next batch */
	PIECE_HOST,  /* in an operator that launches nothing */
	PIECE_GC,    /* Python collects garbage */
	PIECE_GIL,   /* waiting for Python's lock */
	PIECE_STALL, /* blocked by something else: a lock, a sleep, a child, a write */
	PIECE_KIND_COUNT
};

struct piece {
	uint64_t begin, end;
	uint32_t spot; /* WAIT, COPY */
	uint32_t kind; /* enum piece_kind */
};

struct host {
	QUEUE(struct piece) pieces; /* disjoint, ascending; the first closed ones do not change */
	size_t closed;
	uint64_t dropped;  /* pieces ever dropped */
	uint64_t floor_ns; /* nothing before is open */
	uint64_t join_ns;  /* gaps up to this belong to launching */
};

/* join_ns: how long a pause between calls still counts as back to back. */
void host_init(struct host *host, uint64_t join_ns);
void host_release(struct host *host);

/* A call took from begin to end; pieces inside it are replaced. 0 or -ENOMEM. */
int host_add(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot);

/* The same for what several calls are part of, with all that the host did in between. */
int host_add_around(
	struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot);

/* An operator ran from begin to end: what no piece inside it covers was launching. 0 or -ENOMEM. */
int host_cover(struct host *host, uint64_t begin, uint64_t end);

/* The usual case of both for launching: the last piece is launching as well and goes on. */
static inline bool host_extend(struct host *host, uint64_t begin, uint64_t end)
{
	if (host->pieces.count == host->closed)
		return false;
	struct piece *last = &host->pieces.items[host->pieces.count - 1];
	if (last->kind != PIECE_LAUNCH || last->begin > begin || last->end + host->join_ns < begin)
		return false;
	if (end > last->end)
		last->end = end;
	return true;
}

/*
 * Nothing up to ns will change any more; a piece that reaches over it is split. 0 or -ENOMEM;
 * *ret_until is for host_drop().
 */
int host_close(struct host *host, uint64_t ns, uint64_t *ret_until);

/* Forget the pieces that were closed when until was given out. */
void host_drop(struct host *host, uint64_t until);

#endif
