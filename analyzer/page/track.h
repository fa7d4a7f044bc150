/* SPDX-License-Identifier: MIT */
/*
 * A row of the time line while it is written: events wait until a chunk is full. What is not wanted
 * whole is summed up in bins, parts of equal length of the run, with how many events began there
 * and for how long they ran there.
 *
 * Plain functions on a row of the caller's; not thread-safe.
 */
#ifndef ANALYZER_PAGE_TRACK_H
#define ANALYZER_PAGE_TRACK_H

#include "analyzer/page/pack.h"
#include "analyzer/page/row.h"

#define TRACK_CHUNK 16384u /* a power of two */
#define TRACK_BINS  1024u  /* at most, in a grid */

/* Where chunks are made, one at a time. */
struct track_room;

struct track_event {
	uint64_t begin, ns, value;
	uint32_t label;
};

struct track_bin {
	uint64_t ns;
	uint32_t events;
};

struct track {
	struct row_id id;
	uint32_t number;
	uint64_t events;    /* that came, also into bins */
	uint64_t in_bins;   /* of those */
	uint64_t before_ns; /* end of the last event that went into the pack */
	struct track_event *waiting;
	uint32_t count, capacity;
	struct track_bin *bins; /* NULL: none yet */
};

/* The parts of the run. */
struct track_grid {
	uint64_t begin_ns, width_ns;
	uint32_t count;
};

/* NULL: no memory. */
struct track_room *track_room_new(struct pack *pack);
void track_room_free(struct track_room *room);

void track_release(struct track *track);

/* Add one. When its chunk is full, or without memory, it goes into the pack. */
void track_event(struct track *track, struct track_room *room, const struct track_event *event);

/* The same as a part of sums. -ENOMEM: it is not counted. */
int track_sum(struct track *track, const struct track_grid *grid, const struct track_event *event);

/* What waits, into the pack; memory is given back. */
void track_flush(struct track *track, struct track_room *room);

/* The sums, if there are any. */
void track_put_bins(const struct track *track, const struct track_grid *grid, struct pack *pack);

#endif
