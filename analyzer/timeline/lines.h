/* SPDX-License-Identifier: MIT */
/*
 * Whose time the account is. Each thread that gives the device work has a line of its own (host.h);
 * the account follows that of the thread that steps, the owner. While the owner is blocked because
 * it waits for another thread, it is those that work, if they do: a call or an operator of theirs
 * is laid over the wait, a wait of their own for data or for anybody else never, unless they take
 * the data for the owner. A thread that takes turns with the owner (the backward pass of a
 * framework) also has the time for which nothing of the owner's was recorded; in the wait for its
 * turn its pauses are code of the owner's, and its sleeps and writes are the owner's, too. As long
 * as nobody steps all take turns.
 *
 * A line is told up to a moment when a record of its thread has ended after it: a wait of the
 * owner's is known only once it is over, so time is accounted late where another thread is the one
 * that is heard of. At most LINES_LIMIT threads have a line at a time; those that have been silent
 * for longest lose theirs, and one that finds none does not shape the account. Not thread-safe.
 */
#ifndef ANALYZER_LINES_H
#define ANALYZER_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/timeline/host.h"

#define LINES_LIMIT 64u

struct line {
	struct host host;
	uint64_t last_ns;     /* end of the thread's last record */
	struct line **holder; /* where the thread keeps it; NULL: nobody's */
	bool turns;           /* the owner waits while it works */
	bool steps;           /* steps have ended on it */
};

struct lines {
	struct line items[LINES_LIMIT];
	uint32_t count;
	struct line *owner; /* NULL: nobody steps */
	unsigned trust;     /* steps that speak for it */
	bool hands;         /* threads take data for the owner */
	struct host merged;
	uint64_t join_ns;
};

void lines_init(struct lines *lines, uint64_t join_ns);
void lines_release(struct lines *lines);

/* A line for a thread that keeps it at *holder, from floor_ns on; NULL: there is none left. */
struct line *lines_take(struct lines *lines, struct line **holder, uint64_t floor_ns);

/* A step has ended on this line: it is the owner's, unless another one has spoken more often. */
void lines_step(struct lines *lines, struct line *line);

/* What the line's thread does is no part of the account, unless the owner waits for it. */
static inline bool lines_is_aside(const struct lines *lines, const struct line *line)
{
	return line != lines->owner && lines->owner != NULL && line != NULL && !line->turns;
}

/* The owner is told up to ns: however long it waits, that is known once it is over. */
bool lines_is_told(const struct lines *lines, uint64_t ns);

/*
 * The line of the account up to ns and some pieces beyond, valid until the next change. Without
 * memory it is the owner's alone.
 */
const struct host *lines_until(struct lines *lines, uint64_t ns);

/* Forget everything up to ns. */
void lines_drop(struct lines *lines, uint64_t ns);

/* How many pieces are kept. */
size_t lines_pieces(const struct lines *lines);

#endif
