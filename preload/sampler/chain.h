/* SPDX-License-Identifier: MIT */
/*
 * The frames of another thread, read while it runs. Nothing is trusted: every read can fail, and
 * the thread may call, return and end between two of them. So the chain is read twice, and what
 * counts are the frames that were the same both times, from the outermost inward: a frame whose
 * caller, code and position have not changed was there all the while. Functions that came and
 * went inside of it are left out, and the result says so.
 *
 * The chain of the time before is the guess for where frames are, so that an unchanged stack
 * costs one call of the kernel. At most CHAIN_LIMIT frames, the innermost ones.
 *
 * One user per struct chain; no allocation, no lock, no fault.
 */
#ifndef PRELOAD_SAMPLER_CHAIN_H
#define PRELOAD_SAMPLER_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/python/layout.h"
#include "preload/thread/peek.h"

#define CHAIN_LIMIT 128u /* frames of any kind */

struct chain_frame {
	const char *address, *previous;
	const char *code; /* without the marks in its low bits */
	uint64_t at;      /* as the frame has it: an index or the address of an instruction */
	uint8_t owner;    /* enum python_owner; 0 where frames have none */
};

struct chain {
	const char *link; /* what held the innermost frame, in layouts that have a link */
	unsigned count;   /* innermost first */
	bool cut;         /* there are more outside of the last one */
	bool outer;       /* there were more inside of the first one */
	struct chain_frame frames[CHAIN_LIMIT];
};

struct chain_source {
	const struct python_layout *layout;
	const char *thread; /* the thread state */
	uint64_t mark;      /* what it has at layout->thread_id */
	/* peek_pieces() */
	unsigned (*read)(const struct peek_piece *pieces, unsigned count, void *ret_bytes);
};

enum chain_result {
	CHAIN_NONE, /* no frames, or the thread state is another's */
	CHAIN_SAME, /* as *chain was already */
	CHAIN_READ,
	CHAIN_TORN,
};

/* Read into *chain, which holds the last reading of the same thread or is all 0. */
enum chain_result chain_read(const struct chain_source *source, struct chain *chain);

/* The frame is still that of the same function, called from the same one. */
bool chain_has(const struct chain_source *source, const struct chain_frame *frame);

#endif
