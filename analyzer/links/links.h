/* SPDX-License-Identifier: MIT */
/*
 * Which operator of the forward pass put a function into the backward pass: records of both have
 * the same pair (record.def: sequence, forward). Operators come when they end; of several with one
 * pair the one that began last is kept. Of each of LINKS_THREADS threads LINKS_KEPT numbers are
 * remembered; what began longer ago is not known any more.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_LINKS_H
#define ANALYZER_LINKS_H

#include <stdbool.h>

#include "collector/base/vec.h"
#include "collector/format/record.h"

#define LINKS_KEPT    65536u /* a power of two */
#define LINKS_THREADS 64u

struct link {
	uint64_t begin_ns;
	uint64_t function_ns; /* begin of the function that was found last; 0: none */
	uint32_t name, line;  /* of the operator; line is a place, 0: not known */
	uint32_t sequence;
	bool known;
};

struct links_thread {
	uint32_t id; /* as the framework numbers it */
	struct link *kept;
};

struct links {
	VEC(struct links_thread) threads;
	size_t last; /* the thread that was met last */
};

void links_release(struct links *links);

/* An OP of the forward pass; those without a number are passed over. 0 or -ENOMEM. */
int links_add(struct links *links, const struct record *op);

/*
 * The operator behind a function of the backward pass, when that ends; NULL: not known, or the
 * function only encloses the one that was found last.
 */
const struct link *links_find(struct links *links, const struct record *function);

#endif
