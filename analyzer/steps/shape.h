/* SPDX-License-Identifier: MIT */
/*
 * What a step usually consists of, to tell what is none of it. Calls are told apart by tokens: what
 * was done, from which line. The first steps show which calls belong to a step, what comes beside
 * them now and then is an interruption, and what it was shows in what it did:
 *
 *	evaluation: the kernels of the forward pass run from other lines, or a batch of another
 *	loader is drawn for kernels, and no backward pass follows; or the forward pass begins again
 *	without one
 *	saving: results are fetched in order to be written to a file
 *
 * One may follow the other without a call of a step between them: they are two.
 *
 * Of what the host does between a call of a step and the first of an interruption the step has as
 * much as usually passes after that call.
 * All else between steps (logging, a histogram) is part of them. Pure; an all-zero struct is empty.
 */
#ifndef ANALYZER_STEPS_SHAPE_H
#define ANALYZER_STEPS_SHAPE_H

#include "analyzer/steps/learn.h"
#include "analyzer/steps/phase.h"

/* What a call means for the time before it, since the last end. */
enum shape_says {
	SHAPE_NOTHING,
	SHAPE_LEAVES,  /* from here on it may be none of the step's */
	SHAPE_RETURNS, /* what passed since it left was the phase; PHASE_NONE: of the step */
	SHAPE_TURNS,   /* the same until the call before, and from there on it is another one */
	SHAPE_REPEATS, /* so was all since the last step's end, or since it began anew */
	SHAPE_PASSES,  /* what passed since it left may have been all, and ends here */
	SHAPE_BEGINS   /* an epoch begins, of training or not: what passed before is of the step */
};

/* What it was, and where. */
struct shape_told {
	enum phase phase;
	uint32_t place;
	/* REPEATS: of all that, what passed since it left was this; PHASE_NONE: nothing else */
	enum phase left;
	uint32_t left_place;
	bool head; /* LEAVES, said once: what passed before is of the step, whatever follows */
	bool rest; /* REPEATS: since that was said, or since it began anew */
};

/* A call is about to be made; *ret_told is what the interruption was. */
enum shape_says shape_call(
	struct shape *shape, const struct shape_call *call, struct shape_told *ret_told);

/*
 * Asked where only batches tell where steps end: usual steps have a backward pass, and there was
 * none since the last end. Then what there was is that of an evaluation's batch, *ret_place being
 * where it begins, or too little for one (false).
 */
bool shape_is_untrained(const struct shape *shape);
bool shape_is_forward_only(const struct shape *shape, uint32_t *ret_place);

/*
 * Work that is no call: it has no line that could be told apart, but how much of it there is says
 * what is done. place: 0 where it is unknown.
 */
void shape_work(struct shape *shape, uint64_t name, uint32_t place);

/* An operator that is no call of these: work of the step, or of what interrupts it. */
static inline void shape_works(struct shape *shape)
{
	shape->gap.works = shape->worked = true;
}

/* A part of a backward pass; the end of a step; there are no more to learn from. */
void shape_backward(struct shape *shape);
void shape_end(struct shape *shape);
void shape_learnt(struct shape *shape);

/* What the interruption that is not over has been so far. */
struct shape_told shape_phase(const struct shape *shape);

/* The same, and it is over: it is told once. */
struct shape_told shape_close(struct shape *shape);

#endif
