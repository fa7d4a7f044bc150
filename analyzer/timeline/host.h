/* SPDX-License-Identifier: MIT */
/*
 * What one thread of the host did, as a line of time pieces. Calls and operators that follow each
 * other closely become one piece; what lies between pieces is other code. Pieces come in the order
 * of their ends and later ones may reach back over earlier ones: an operator fills the gaps between
 * its calls, a data loader's range replaces what it contains. An operator that launches nothing is
 * code too: a long one is a piece of its own, and so are many short ones in a row; a few short ones
 * belong to the launch that follows.
 *
 * Pieces change until host_drop(), because they may be accounted much later. Not thread-safe.
 */
#ifndef ANALYZER_HOST_H
#define ANALYZER_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/queue.h"

/*
 * Short operators that launch nothing (a view, a size) come before every launch; in a row for
 * longer than so many pauses they are work of the host.
 */
#define HOST_CODE_PAUSES 4u

enum piece_kind {
	PIECE_LAUNCH,  /* in calls that enqueue, in operators, and back to back between them */
	PIECE_WAIT,    /* in a call that waits for the device */
	PIECE_BLOCKED, /* in a launch that waits because the device's queue is full */
	PIECE_COPY,    /* in a copy to the device that returns late */
	PIECE_ALLOC,
	PIECE_SETUP, /* loading code, changing contexts or access to a peer */
	PIECE_INPUT, /* waiting for the next batch */
	PIECE_HOST,  /* in an operator that launches nothing */
	PIECE_GC,    /* Python collects garbage */
	PIECE_GIL,   /* waiting for Python's lock */
	PIECE_STALL, /* blocked by something else: a lock, a sleep, a child, a write */
	PIECE_KIND_COUNT
};

/* Whether the time belongs to another thread that is waited for: bits, of one piece made of two. */
enum piece_yields {
	YIELDS_NOT = 0,
	YIELDS_TURN = 1, /* it may take turns with this one: a backward pass, say */
	YIELDS_LOCK = 3  /* by a lock of the program: not for the threads of a framework */
};

struct piece {
	uint64_t begin, end;
	uint32_t spot;  /* 0: of no line in particular */
	uint16_t kind;  /* enum piece_kind */
	uint8_t yields; /* of enum piece_yields */
	uint8_t hands;  /* 1, of INPUT: who waits for this thread waits for the data */
	uint32_t first_place, last_place; /* of the calls in it; 0: unknown */
};

struct host {
	QUEUE(struct piece) pieces; /* disjoint, ascending */
	uint64_t floor_ns;          /* nothing before is open */
	uint64_t join_ns;           /* gaps up to this belong to launching */
	/* short operators that launch nothing, not a piece yet; until 0: none */
	uint64_t code_from_ns, code_until_ns;
};

/* join_ns: how long a pause between calls still counts as back to back. */
void host_init(struct host *host, uint64_t join_ns, uint64_t floor_ns);
void host_release(struct host *host);

/*
 * A call took from begin to end, at a place (0: unknown). What waits for data, collects garbage or
 * waits for Python's lock replaces the pieces inside it, but for pauses of Python's while data is
 * made, and waits for the device in a collection. 0 or -ENOMEM.
 */
int host_add(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot,
	uint32_t place);

/* The last piece, or NULL. */
static inline struct piece *host_last(struct host *host)
{
	return host->pieces.count > 0 ? &host->pieces.items[host->pieces.count - 1] : NULL;
}

/* The same for what several calls are part of, with all that the host did in between. */
int host_add_around(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end,
	uint32_t spot, uint32_t place);

/*
 * An operator ran from begin to end: what no piece inside it covers was launching, or HOST, which
 * replaces HOST inside it. 0 or -ENOMEM.
 */
int host_cover(struct host *host, enum piece_kind kind, uint64_t begin, uint64_t end, uint32_t spot,
	uint32_t place);

/* A short operator has launched nothing. 0 or -ENOMEM. */
int host_code(struct host *host, uint64_t begin, uint64_t end);

/* The usual case of both for launching: the last piece is launching as well and goes on. */
static inline bool host_extend(struct host *host, uint64_t begin, uint64_t end, uint32_t place)
{
	if (host->pieces.count == 0)
		return false;
	struct piece *last = &host->pieces.items[host->pieces.count - 1];
	if (last->kind != PIECE_LAUNCH || last->begin > begin)
		return false;
	if (host->code_until_ns != 0) { /* a few short operators come before every launch */
		if (host->code_from_ns > last->end + host->join_ns ||
			host->code_until_ns - host->code_from_ns > HOST_CODE_PAUSES * host->join_ns)
			return false;
		if (host->code_until_ns > last->end)
			last->end = host->code_until_ns;
		host->code_until_ns = 0;
	}
	if (last->end + host->join_ns < begin)
		return false;
	if (end > last->end)
		last->end = end;
	if (place != 0)
		last->last_place = place;
	return true;
}

/* The usual case of host_code(): it follows closely on another one. */
static inline bool host_more_code(struct host *host, uint64_t begin, uint64_t end)
{
	if (host->code_until_ns + host->join_ns < begin || host->code_until_ns == 0)
		return false;
	if (begin < host->code_from_ns)
		host->code_from_ns = begin;
	if (end > host->code_until_ns)
		host->code_until_ns = end;
	return true;
}

/* Short operators that are not a piece yet become one. 0 or -ENOMEM. */
int host_settle(struct host *host);

/* Forget everything up to ns; a piece that reaches over it is cut. */
void host_drop(struct host *host, uint64_t ns);

#endif
