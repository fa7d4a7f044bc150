/* SPDX-License-Identifier: MIT */
/*
 * How long operators ran themselves, without those inside of them, when only their ends come: each
 * thread keeps what has ended and may yet turn out to lie inside of another one. Of more than
 * NESTING_KEPT the older ones become one with their neighbours, so that an operator around very
 * many others may miss a few where it begins.
 *
 * Not thread-safe; an all-zero struct is empty.
 */
#ifndef ANALYZER_TABLES_NESTING_H
#define ANALYZER_TABLES_NESTING_H

#include "collector/base/vec.h"
#include "collector/format/record.h"

#define NESTING_KEPT 2048u

struct nesting_ended {
	uint64_t begin_ns, ns;
};

struct nesting_thread {
	uint32_t id;
	VEC(struct nesting_ended) ended; /* ascending, none inside of another */
};

struct tables_nesting {
	VEC(struct nesting_thread) threads;
	size_t last; /* the thread that was met last */
};

void nesting_release(struct tables_nesting *nesting);

/* An operator of a thread has ended; what it did itself into ret_self_ns. 0 or -ENOMEM. */
int nesting_end(struct tables_nesting *nesting, uint32_t thread, const struct record *op,
	uint64_t *ret_self_ns);

#endif
