/* SPDX-License-Identifier: MIT */
/*
 * The account of a process in order of time: what every piece of time was given to, and every step
 * with its share of each cause. It watches the account being made (timeline/cause.h).
 *
 * Memory is bounded: beyond HISTORY_PIECES short pieces become one with the cause that most of them
 * have, beyond HISTORY_STEPS steps are only counted. Without memory it ends early and says so
 * (cut_short). Not thread-safe.
 */
#ifndef ANALYZER_HISTORY_H
#define ANALYZER_HISTORY_H

#include <stdbool.h>

#include "analyzer/timeline/cause.h"
#include "collector/base/vec.h"

#define HISTORY_PIECES 524288u
#define HISTORY_STEPS  65536u

struct history_piece {
	uint64_t begin_ns : 60; /* until the next piece */
	uint64_t cause : 4;     /* HISTORY_NOTHING: not accounted */
};

#define HISTORY_NOTHING 15u

struct history_step {
	uint64_t begin_ns, end_ns;
	uint64_t number;
	bool aside; /* between two steps, and none itself */
	uint64_t cause_ns[CAUSE_COUNT];
};

struct history {
	VEC(struct history_piece) pieces; /* ascending; the last one only says where time ends */
	VEC(struct history_step) steps;   /* the first one is what came before the first cut */
	struct history_step running;
	uint64_t parts_ns[CAUSE_COUNT]; /* of the running step, put by */
	uint64_t tail_ns[CAUSE_COUNT];  /* and with its tail */
	uint64_t end_ns;                /* of the newest piece */
	uint64_t tick_ns;               /* shorter pieces were joined; 0: none */
	uint64_t left_out;              /* steps beyond the limit */
	bool cut_short, without_pieces;
};

/* pieces: they are wanted, else it has steps alone. NULL: no memory. */
struct history *history_new(bool pieces);
void history_free(struct history *history);

/* What fills it; valid as long as it is. */
struct watch history_watch(struct history *history);

#endif
