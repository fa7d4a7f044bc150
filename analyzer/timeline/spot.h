/* SPDX-License-Identifier: MIT */
/*
 * The lines of the program at which the host does what costs time, with what each did: it waits for
 * the device or copies to it, launches, loads, is blocked, or runs code. A spot is a line as the
 * user knows it (the innermost frame outside installed packages; for native code module and
 * address), so several places inside PyTorch that one line of the script reaches are one spot.
 * Waits and copies that went through another package are told apart by the line there, as a line
 * that calls a trainer does all of them.
 * Only calls that really do it make a spot: a line that is not here is never blamed. A line has a
 * spot for each kind of thing that it does; spots_partner() is the way from one to another.
 *
 * What is counted when a record is read and what the account finds later lie in two
 * series, because the account runs behind. At most SPOT_LIMIT spots are kept; what
 * comes after shares spot 0. Not thread-safe.
 */
#ifndef ANALYZER_SPOT_H
#define ANALYZER_SPOT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/read/lookup.h"
#include "analyzer/steps/launches.h"
#include "analyzer/steps/series.h"
#include "analyzer/timeline/spot_value.h"
#include "collector/base/slots.h"
#include "collector/base/vec.h"

#define SPOT_LIMIT 2048u

enum spot_kind {
	SPOT_WAIT,      /* waits for the device: a sync, or a copy to the host */
	SPOT_COPY_IN,   /* copies from the host to the device, with the wait that belongs to it */
	SPOT_COPY_FREE, /* copies to or from the device that do not hold the host */
	SPOT_ALLOC,     /* allocates or frees memory, and may wait for the device for that */
	SPOT_SETUP,    /* loads code, changes contexts or access to a peer, and may wait likewise */
	SPOT_LAUNCH,   /* launches */
	SPOT_OPERATOR, /* runs an operator that launches nothing */
	SPOT_LOAD,     /* asks a loader for the next batch */
	SPOT_BLOCKED,  /* is blocked, by data or by something else */
	SPOT_COLLECTION, /* Python collects garbage */
	SPOT_LOCK,       /* waits for Python's lock */
	SPOT_GAP,        /* code from this line up to another one, of which nothing is known */
	SPOT_CODE,       /* was sampled there while the device idled for it */
	SPOT_MAKING,     /* the same, while a batch was waited for or made */
	SPOT_KIND_COUNT
};

struct spot {
	enum spot_kind kind;
	uint32_t place; /* of the first call; 0: unknown */
	uint32_t file, function;
	uint64_t line;
	uint32_t library_file, library_function; /* on the way there; 0: none */
	uint64_t library_line;
	uint32_t name;      /* OPERATOR, LOAD: of the operator or the loader */
	uint32_t last_file; /* GAP: where the code ends */
	uint64_t last_line;
	uint64_t address; /* native: offset in the module */
	bool native;
	bool awaits; /* OPERATOR: for what was called before; BLOCKED: for the backward pass */
	bool ranks, lapses;     /* BLOCKED: for other ranks; its limit was over, and work went on */
	uint32_t awaited_place; /* native: of the line that waits for its thread; 0: unknown */
	uint16_t call;
	uint8_t what;        /* BLOCKED: enum input_what of the longest wait, which call made */
	uint64_t longest_ns; /* BLOCKED: that took so long */
	uint64_t stream;
	uint32_t op, outer_op;  /* names of the innermost and the outermost operator around it */
	unsigned op_class;      /* bits of enum opclass of all of them */
	uint32_t named, shaped; /* calls with an operator around them, with one of OPCLASS_SHAPE */
	uint32_t stack, stack_votes; /* CODE: that most of its samples have, id of a stack */
	uint32_t gap, gap_votes;     /* the same: between which calls, a spot; 0: unknown */
	uint32_t aside;              /* CODE: samples in what is no step */
	/* with a call, + 1; the same of parts that were put by, and of the tail */
	uint64_t last_step, put_step, tail_step;
	struct series counted, found;
};

struct spots {
	struct spot items[SPOT_LIMIT];
	uint32_t count;
	struct slots slots;       /* of the items, by what makes them one line */
	VEC(uint16_t) by_place;   /* [place * SPOT_KIND_COUNT + kind], index + 1 */
	struct launches launches; /* that their spots do not have yet */
	uint32_t dropped;
	bool parted[2]; /* a part of the running step was put by: of what was counted, found */
};

struct spots *spots_new(void); /* NULL when out of memory */
void spots_free(struct spots *spots);

/* All figures back to 0; the spots stay. */
void spots_reset(struct spots *spots);

/* As spots_find(), of what was not found before. */
struct spot *spots_look_up(struct spots *spots, const struct lookup *lookup, uint32_t place,
	uint16_t call, enum spot_kind kind);

/* The spot of a place (of a function where the place is unknown). Never NULL. */
static inline struct spot *spots_find(struct spots *spots, const struct lookup *lookup,
	uint32_t place, uint16_t call, enum spot_kind kind)
{
	size_t key = (size_t)place * SPOT_KIND_COUNT + kind;
	if (place != 0 && key < spots->by_place.count && spots->by_place.items[key] != 0)
		return &spots->items[spots->by_place.items[key] - 1];
	return spots_look_up(spots, lookup, place, call, kind);
}

/* The same for what has a name beside its line. */
struct spot *spots_find_named(struct spots *spots, const struct lookup *lookup, uint32_t place,
	uint32_t name, enum spot_kind kind);

/* The code between two places. */
struct spot *spots_find_gap(
	struct spots *spots, const struct lookup *lookup, uint32_t place, uint32_t last_place);

/* The spot of another kind of the same line, or NULL. */
const struct spot *spots_partner(
	const struct spots *spots, const struct spot *spot, enum spot_kind kind);

static inline uint32_t spot_index(const struct spots *spots, const struct spot *spot)
{
	return (uint32_t)(spot - spots->items);
}

/* A launch of a place that launches_count() does not know. */
void spots_launch(struct spots *spots, const struct lookup *lookup, uint32_t place, uint16_t call,
	uint64_t step, uint64_t host_ns);

/* Before the step is cut, and before anybody looks: the launches that were counted. */
void spots_tell_launches(struct spots *spots, uint64_t step);

/* The running step, of that number, is cut (series.h): in what was counted, or what was found. */
void spots_cut(struct spots *spots, uint64_t step, enum step_cut cut, bool found);

/* No step ends any more (series.h). */
void spots_finish(struct spots *spots, bool tail);

/* Add to figures of a step; what is found takes memory with the first of it, or is not added. */
void spot_count(struct spot *spot, uint64_t step, enum spot_value value, uint64_t amount);
static inline void spot_found(
	struct spot *spot, uint64_t step, enum spot_finding finding, uint64_t amount)
{
	if (spot->found.rows > 0 || series_use(&spot->found) == 0)
		series_at(&spot->found, step)[finding] += amount;
}

#endif
