/* SPDX-License-Identifier: MIT */
/*
 * How long a step would take with a cause removed. The run is kept as a list of
 * stretches, each ending where the host waited for the device (or a step ended): the
 * host's time in it by what it did, and the device's work. Played again, host and device
 * each go on as early as they may; a wait that is removed no longer holds the host
 * back, and what the device was given in between piles up before it; a copy that is
 * removed no longer holds anybody, and runs beside the rest. The result is
 * compared with the same play with nothing removed, so the model's own error cancels.
 * It is a ceiling: the mended program may have other costs.
 *
 * The last WHATIF_LIMIT stretches are kept. Not thread-safe.
 */
#ifndef ANALYZER_WHATIF_H
#define ANALYZER_WHATIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/timeline/host.h"
#include "collector/base/circle.h"

#define WHATIF_LIMIT 8192u
#define WHATIF_PARTS 8u

/* What one line did in a stretch. */
struct stretch_part {
	uint32_t spot;      /* 0: none */
	uint64_t host_ns;   /* code, blocked, or in copies that return late */
	uint64_t device_ns; /* while the device only copied */
};

struct stretch {
	uint64_t step;
	uint64_t host_ns; /* of the host, without waits for the device */
	uint64_t
		pieces[PIECE_KIND_COUNT]; /* of that: by kind; WAIT and BLOCKED are no part of it */
	uint64_t wait_ns;                 /* in the call that ends it */
	uint64_t spare_ns;  /* of that: what the call takes even if there is nothing to wait for */
	uint64_t device_ns; /* work done by the device */
	uint64_t tail_ns;   /* from the beginning to the end of that work */
	uint32_t spot;      /* of the call that ends it; 0 and wait_ns 0: none */
	struct stretch_part parts[WHATIF_PARTS];
};

/*
 * A stretch that is kept, as it is played. Most kinds of pieces and lines are in none, so what
 * there is lies apart.
 */
struct stretch_kept {
	uint64_t step;
	double host_ns, spare_ns, device_ns, tail_ns;
	uint32_t spot;
	bool waits;
	uint8_t piece_count, part_count;
};

struct stretch_piece {
	double ns;
	enum piece_kind kind;
};

struct whatif {
	struct stretch_kept *stretches; /* a circle once it is full */
	uint64_t count;                 /* ever added */
	/* of the stretches that are kept, theirs one after another; pieces by kind */
	CIRCLE(struct stretch_piece) pieces;
	CIRCLE(struct stretch_part) parts;
};

int whatif_init(struct whatif *whatif); /* 0 or -ENOMEM */
void whatif_release(struct whatif *whatif);
void whatif_reset(struct whatif *whatif);

/* Without memory it is kept without its pieces and parts. */
void whatif_add(struct whatif *whatif, const struct stretch *stretch);

/* The stretches from that number on are of no step. */
void whatif_forget(struct whatif *whatif, uint64_t from);

/*
 * What a line does in the stretch that is being made; the ones after WHATIF_PARTS lines are not
 * kept apart. NULL: no room.
 */
struct stretch_part *stretch_part(struct stretch *stretch, uint32_t spot);

/* What is taken away. */
struct removal {
	const bool
		*spots; /* by index: these calls do not wait, their copies hold nobody; or NULL */
	const bool
		*pinned; /* these do not wait either, but copy on their stream, faster; or NULL */
	unsigned pieces; /* bit per enum piece_kind: these cost the host nothing */
};

/* Length of the stretches from step first up to step until with that removed; in nanoseconds. */
double whatif_length(
	const struct whatif *whatif, const struct removal *removal, uint64_t first, uint64_t until);

/* The second length as a share of the first: never more than 1, never 0; of nothing 1. */
double whatif_share(double before, double after);

#endif
