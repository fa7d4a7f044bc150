/* SPDX-License-Identifier: MIT */
/*
 * Which operators were around something that a thread did, asked after they have ended: what the
 * device did is known late. Operators come when they end, those inside of another one first. Each
 * has an owner, which gets what the innermost one was given, and at the end of all what each was
 * given with those inside of it. Of each thread the last AROUND_KEPT at least half are told apart;
 * what is asked about the time before them is not known.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_TABLES_AROUND_H
#define ANALYZER_TABLES_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/base/vec.h"

#define AROUND_KEPT 131072u
#define AROUND_LEFT 2048u

struct around_op {
	uint64_t begin_ns, end_ns;
	uint64_t given_ns; /* also to those inside of it */
	void *owner;
	uint32_t parent; /* how much further the one around it is; 0: none has ended */
	uint32_t size;   /* from the first inside of it to itself */
};

/* Forgotten before one around it has ended. */
struct around_left {
	uint64_t begin_ns, given_ns;
};

struct around_thread {
	uint32_t id;
	uint64_t gone_ns;          /* end of the last that was forgotten */
	VEC(struct around_op) ops; /* by their ends */
	VEC(struct around_left) left;
};

struct around {
	VEC(struct around_thread) threads;
	size_t last; /* the thread that was met last */
	/* An operator is forgotten, with all that it was given. 0 or -ENOMEM */
	int (*settle)(void *owner, uint64_t given_ns);
};

/* The answer: its owner; NULL: none, or not known any more. */
struct around_found {
	void *owner;
	bool gone;
};

void around_release(struct around *around);

/* An operator has ended. 0 or -ENOMEM. */
int around_end(
	struct around *around, uint32_t thread, uint64_t begin_ns, uint64_t end_ns, void *owner);

/* Give time to what was around a moment, as far as it has ended; nothing if that is none. */
struct around_found around_give(
	struct around *around, uint32_t thread, uint64_t at_ns, uint64_t given_ns);

/* Nothing more comes. 0 or -ENOMEM. */
int around_finish(struct around *around);

#endif
